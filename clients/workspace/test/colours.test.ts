import { describe, expect, test } from "vitest";
import { colourAt, coloursFor, contrast, LEAST_CONTRAST, SURFACES } from "../src/blocks/colours";
import tokens from "../src/styles/tokens.css?raw";

/** A colour for each theme, of `light-dark(…)`. */
function both(colour: string | undefined) {
  const [, light = "", dark = ""] = /^light-dark\((#\w{6}), (#\w{6})\)$/.exec(colour ?? "") ?? [];
  return { light, dark };
}

function hueOf(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
  return (Math.atan2(Math.sqrt(3) * (green - blue), 2 * red - green - blue) * 180) / Math.PI;
}

/** A value of tokens.css. */
function token(theme: "light" | "dark", name: string): string {
  const [light = "", dark = ""] = tokens.split(':root[data-theme="dark"]');
  return new RegExp(`${name}: (#\\w{6});`).exec(theme === "light" ? light : dark)?.[1] ?? "";
}

const STEPS = ["00", "33", "66", "99", "cc", "ff"];
const CUBE = STEPS.flatMap((red) => STEPS.flatMap((green) => STEPS.map((blue) => `#${red}${green}${blue}`)));

describe.each(["light", "dark"] as const)("in the %s theme", (theme) => {
  test("every colour of a model has enough contrast", () => {
    const contrasts = CUBE.map((hint) => contrast(both(coloursFor([hint])[0])[theme], SURFACES[theme]));

    expect(Math.min(...contrasts)).toBeGreaterThanOrEqual(LEAST_CONTRAST);
  });

  test("a colour keeps its hue", () => {
    const turned = CUBE.filter((hint) => new Set([hint.slice(1, 3), hint.slice(3, 5), hint.slice(5)]).size > 1).map(
      (hint) => {
        const off = Math.abs(hueOf(hint) - hueOf(both(coloursFor([hint])[0])[theme]));
        return Math.min(off, 360 - off);
      },
    );

    expect(Math.max(...turned)).toBeLessThan(6);
  });

  test("a colour with enough contrast is unchanged", () => {
    const strong = CUBE.filter((hint) => contrast(hint, SURFACES[theme]) >= LEAST_CONTRAST);

    expect(strong.length).toBeGreaterThan(50);
    expect(strong.map((hint) => both(coloursFor([hint])[0])[theme])).toEqual(strong);
  });

  test("the theme's own colours have enough contrast to their background", () => {
    const surface = token(theme, "--raised");
    expect(surface).toBe(SURFACES[theme]);
    for (let index = 0; index < 6; index += 1) {
      expect(contrast(token(theme, colourAt(index).slice(4, -1)), surface)).toBeGreaterThanOrEqual(LEAST_CONTRAST);
    }
  });
});

test("black is black on white, and light on dark", () => {
  const { light, dark } = both(coloursFor(["#000000"])[0]);

  expect(light).toBe("#000000");
  expect(contrast(dark, SURFACES.dark)).toBeCloseTo(LEAST_CONTRAST, 0);
});

test.each([
  ["#36c", "#3366cc"],
  ["#3366CC", "#3366cc"],
  ["rgb(51, 102, 204)", "#3366cc"],
  ["rgb(51 102 204)", "#3366cc"],
  ["hsl(220, 60%, 50%)", "#3366cc"],
  ["hsl(220deg 60% 50%)", "#3366cc"],
])("%s is read as a colour", (hint, colour) => {
  expect(both(coloursFor([hint])[0]).light).toBe(colour);
});

test.each([
  undefined,
  "",
  "teal-ish",
  "hsl(var(--chart-1))",
  "red;background:url(x)",
  "rgb(1, 2)",
  "rgb(1, 2, 999)",
  "rgb(., ., .)",
  "#12",
])("%s is no colour, so the theme's is taken", (hint) => {
  expect(coloursFor(["#3366cc", hint])[1]).toBe("var(--series-2)");
});

test("of colours that would look alike in either theme the second is the theme's", () => {
  const [first, second, third] = coloursFor(["#000000", "#111111", "#cc3333"]);

  expect(first).toMatch(/^light-dark/);
  expect(second).toBe("var(--series-2)");
  expect(third).toMatch(/^light-dark/);
});
