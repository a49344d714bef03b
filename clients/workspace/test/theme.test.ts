import { beforeAll, expect, test } from "vitest";
import { chooseTheme, chosenTheme } from "../src/parts/theme";

/** The system's preference, which the test changes. */
const system = Object.assign(new EventTarget(), { matches: false });

function turn(isDark: boolean) {
  system.matches = isDark;
  system.dispatchEvent(new Event("change"));
}

const shown = () => document.documentElement.dataset.theme;

beforeAll(async () => {
  window.matchMedia = () => system as unknown as MediaQueryList;
  // @ts-expect-error: a plain script without types
  await import("../public/theme.js");
});

test("the page has the system's theme from the start, and follows it", () => {
  expect(shown()).toBe("light");

  turn(true);
  expect(shown()).toBe("dark");
  turn(false);
  expect(shown()).toBe("light");
});

test("a chosen theme holds regardless of the system's, until the choice is the system's", () => {
  chooseTheme("light");
  turn(true);
  expect([shown(), chosenTheme()]).toEqual(["light", "light"]);

  chooseTheme("dark");
  turn(false);
  expect([shown(), chosenTheme()]).toEqual(["dark", "dark"]);

  chooseTheme("system");
  expect([shown(), chosenTheme()]).toEqual(["light", "system"]);
});

test("what is chosen in another tab is shown here", () => {
  localStorage.setItem("theme", "dark");
  dispatchEvent(new StorageEvent("storage", { key: "theme", newValue: "dark" }));

  expect(shown()).toBe("dark");
});
