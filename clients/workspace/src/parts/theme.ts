/** Light, dark, or the system's theme. `public/theme.js` applies it before the first paint and after each change. */
export type Theme = "system" | "light" | "dark";

export function chosenTheme(): Theme {
  const kept = localStorage.getItem("theme");
  return kept === "light" || kept === "dark" ? kept : "system";
}

export function chooseTheme(theme: Theme): void {
  if (theme === "system") {
    localStorage.removeItem("theme");
  } else {
    localStorage.setItem("theme", theme);
  }
  // The storage event only reaches other tabs.
  dispatchEvent(new Event("theme"));
}
