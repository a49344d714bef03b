/** Every key, as the page of help lists them. */
import { COMMANDS } from "../editor/commands";
import { msg } from "../i18n/translate";
import { PLACES } from "./keys";

export interface KeyShown {
  /** Pressed one after the other; `+` joins those that are pressed together. */
  readonly keys: readonly string[];
  readonly does: string;
}

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
      { keys: ["Ctrl+Shift+Z"], does: msg("Redo what was undone last") },
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
    msg("In a note"),
    [
      ...COMMANDS.flatMap(({ key, name }) => (key === undefined ? [] : [{ keys: [listed(key)], does: name }])),
      { keys: [msg("Tab")], does: msg("Indent") },
      { keys: ["Esc", msg("Tab")], does: msg("Leave the text") },
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

/** A key of the editor, such as `Mod-Shift-8`, as keys are written here. */
function listed(key: string): string {
  const [letter = "", ...modifiers] = key.split("-").reverse();
  return [...modifiers.reverse(), letter.toUpperCase()].join("+").replace("Mod", "Ctrl");
}
