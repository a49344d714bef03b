/** Where keys lead, and how they are called. */
import { msg } from "../i18n/translate";
import { keep } from "../parts/kept";

export const PLACES: Readonly<Record<string, readonly [path: string, name: string]>> = {
  h: ["/", msg("Home")],
  t: ["/tasks", msg("Tasks")],
  p: ["/projects", msg("Projects")],
  n: ["/notes", msg("Notes")],
  l: ["/timeline", msg("Timeline")],
  y: ["/history", msg("History")],
  s: ["/settings", msg("Settings")],
};

const HAS_COMMAND_KEY = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** A key as it is called on this machine: `Ctrl+K` is `⌘K` on a Mac. */
export function keyShown(key: string): string {
  return HAS_COMMAND_KEY ? key.replace("Ctrl+", "⌘").replace(/^Ctrl$/, "⌘") : key;
}

const KEPT = "keys.single";

/** Keys without Ctrl can be switched off, for those who press them by accident or by voice. */
export function hasSingleKeys(): boolean {
  return localStorage.getItem(KEPT) !== "off";
}

/** False if the browser has no room to keep it. */
export function setSingleKeys(isOn: boolean): boolean {
  return keep(localStorage, KEPT, isOn ? null : "off");
}
