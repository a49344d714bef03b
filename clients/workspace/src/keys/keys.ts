/** Every key, as the page of help lists them. */
import { msg } from "../i18n/translate";

export interface KeyShown {
  /** Pressed one after the other; `+` joins those that are pressed together. */
  readonly keys: readonly string[];
  readonly does: string;
}

export const PLACES: Readonly<Record<string, readonly [path: string, name: string]>> = {
  h: ["/", msg("Home")],
  t: ["/tasks", msg("Tasks")],
  p: ["/projects", msg("Projects")],
  n: ["/notes", msg("Notes")],
  l: ["/timeline", msg("Timeline")],
  y: ["/history", msg("History")],
  s: ["/settings", msg("Settings")],
};

export const KEYS: readonly (readonly [where: string, keys: readonly KeyShown[]])[] = [
  [
    msg("Everywhere"),
    [
      { keys: ["Ctrl+K"], does: msg("Search, add, ask, or run a command") },
      { keys: ["Q"], does: msg("Add a task in one line") },
      { keys: ["C"], does: msg("New task with all its fields") },
      { keys: ["N"], does: msg("New note") },
      { keys: ["/"], does: msg("Search on this page") },
      { keys: ["A"], does: msg("Open or close the chat beside the page") },
      { keys: ["Ctrl+Z"], does: msg("Undo the latest change") },
      { keys: ["?"], does: msg("This help") },
    ],
  ],
  [msg("Go to"), Object.entries(PLACES).map(([key, [, name]]) => ({ keys: ["G", key.toUpperCase()], does: name }))],
  [
    msg("In a list of tasks"),
    [
      { keys: ["J"], does: msg("Next task, also with the arrow") },
      { keys: ["K"], does: msg("Previous task, also with the arrow") },
      { keys: [msg("Enter")], does: msg("Open it") },
      { keys: [msg("Space")], does: msg("Done, or not done") },
      { keys: ["E"], does: msg("Rename") },
      { keys: ["D"], does: msg("Date") },
      { keys: ["M"], does: msg("Project") },
      { keys: ["P"], does: msg("Priority") },
      { keys: ["S"], does: msg("Status") },
      { keys: ["X"], does: msg("Select; with Shift all in between") },
      { keys: ["Ctrl+A"], does: msg("Select all") },
      { keys: [msg("Del")], does: msg("Delete what is selected") },
      { keys: ["Esc"], does: msg("Select none") },
    ],
  ],
  [
    msg("In a question"),
    [
      { keys: ["Y"], does: msg("Yes: to the line that has the focus, or to all") },
      { keys: ["N"], does: msg("No, likewise") },
    ],
  ],
  [
    msg("On a board"),
    [
      { keys: [msg("Space")], does: msg("Pick a card up by its handle, or put it down") },
      { keys: ["←"], does: msg("To the previous column") },
      { keys: ["→"], does: msg("To the next column") },
      { keys: ["Esc"], does: msg("Leave it where it was") },
    ],
  ],
];

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

export function setSingleKeys(isOn: boolean): void {
  if (isOn) {
    localStorage.removeItem(KEPT);
  } else {
    localStorage.setItem(KEPT, "off");
  }
}
