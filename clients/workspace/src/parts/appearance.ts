/** How pages look in this browser. `public/appearance.js` applies it before the first paint and after each change. */
import { keep } from "./kept";

export type Theme = "system" | "light" | "dark";
/** `none` even where the system allows motion. */
export type Motion = "system" | "none";

export function chosenTheme(): Theme {
  const kept = localStorage.getItem("theme");
  return kept === "light" || kept === "dark" ? kept : "system";
}

/** False if the browser has no room to keep it. */
export function chooseTheme(theme: Theme): boolean {
  return choose("theme", theme);
}

export function chosenMotion(): Motion {
  return localStorage.getItem("motion") === "none" ? "none" : "system";
}

/** Likewise. */
export function chooseMotion(motion: Motion): boolean {
  return choose("motion", motion);
}

function choose(name: string, choice: Theme | Motion): boolean {
  const isKept = keep(localStorage, name, choice === "system" ? null : choice);
  // The storage event only reaches other tabs.
  dispatchEvent(new Event("appearance"));
  return isKept;
}
