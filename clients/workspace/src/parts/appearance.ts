/** How pages look in this browser. `public/appearance.js` applies it before the first paint and after each change. */
export type Theme = "system" | "light" | "dark";
/** `none` even where the system allows motion. */
export type Motion = "system" | "none";

export function chosenTheme(): Theme {
  const kept = localStorage.getItem("theme");
  return kept === "light" || kept === "dark" ? kept : "system";
}

export function chooseTheme(theme: Theme): void {
  keep("theme", theme);
}

export function chosenMotion(): Motion {
  return localStorage.getItem("motion") === "none" ? "none" : "system";
}

export function chooseMotion(motion: Motion): void {
  keep("motion", motion);
}

function keep(name: string, choice: Theme | Motion): void {
  if (choice === "system") {
    localStorage.removeItem(name);
  } else {
    localStorage.setItem(name, choice);
  }
  // The storage event only reaches other tabs.
  dispatchEvent(new Event("appearance"));
}
