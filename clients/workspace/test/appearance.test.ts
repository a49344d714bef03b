import { beforeAll, expect, test } from "vitest";
import { chooseMotion, chooseTheme, chosenMotion, chosenTheme } from "../src/parts/appearance";

/** The system's preferences, which the test changes. */
class Preference extends EventTarget {
  matches = false;

  turn(matches: boolean) {
    this.matches = matches;
    this.dispatchEvent(new Event("change"));
  }
}

const dark = new Preference();
const still = new Preference();

const theme = () => document.documentElement.dataset.theme;
const motion = () => document.documentElement.dataset.motion;

beforeAll(async () => {
  window.matchMedia = (query) => (query.includes("motion") ? still : dark) as unknown as MediaQueryList;
  // @ts-expect-error: a plain script without types
  await import("../public/appearance.js");
});

test("the page has the system's theme from the start, and follows it", () => {
  expect(theme()).toBe("light");

  dark.turn(true);
  expect(theme()).toBe("dark");
  dark.turn(false);
  expect(theme()).toBe("light");
});

test("a chosen theme holds regardless of the system's, until the choice is the system's", () => {
  chooseTheme("light");
  dark.turn(true);
  expect([theme(), chosenTheme()]).toEqual(["light", "light"]);

  chooseTheme("dark");
  dark.turn(false);
  expect([theme(), chosenTheme()]).toEqual(["dark", "dark"]);

  chooseTheme("system");
  expect([theme(), chosenTheme()]).toEqual(["light", "system"]);
});

test("what is chosen in another tab is shown here", () => {
  localStorage.setItem("theme", "dark");
  dispatchEvent(new StorageEvent("storage", { key: "theme", newValue: "dark" }));

  expect(theme()).toBe("dark");
});

test("nothing moves if the system or the user wants that", () => {
  expect([motion(), chosenMotion()]).toEqual(["full", "system"]);

  still.turn(true);
  expect(motion()).toBe("none");
  still.turn(false);
  expect(motion()).toBe("full");

  chooseMotion("none");
  expect([motion(), chosenMotion()]).toEqual(["none", "none"]);
  chooseMotion("system");
  expect([motion(), chosenMotion()]).toEqual(["full", "system"]);
});

test("paper is light, also where the page is dark", () => {
  chooseTheme("dark");
  dispatchEvent(new Event("beforeprint"));
  expect(theme()).toBe("light");
  dispatchEvent(new Event("afterprint"));
  expect(theme()).toBe("dark");
  chooseTheme("system");
});
