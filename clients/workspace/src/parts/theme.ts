/** Light, dark, or as the system has it. `public/theme.js` shows it, before the first paint and after each change. */
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
  // Only other tabs are told by the storage itself.
  dispatchEvent(new Event("theme"));
}
