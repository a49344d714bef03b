/** What the buttons above the editor and its keys do to the selection. */
import type { EditorView } from "@codemirror/view";
import { msg } from "../i18n/translate";

export interface EditorCommand {
  readonly name: string;
  readonly sign: string;
  /** How the sign is drawn, as in editor.css. */
  readonly look?: "bold" | "italic" | "code";
  readonly key?: string;
  run(view: EditorView): boolean;
}

export const COMMANDS: readonly EditorCommand[] = [
  { name: msg("Bold"), sign: "B", look: "bold", key: "Mod-b", run: around("**") },
  { name: msg("Italic"), sign: "I", look: "italic", key: "Mod-i", run: around("*") },
  { name: msg("Code"), sign: "<>", look: "code", key: "Mod-e", run: around("`") },
  { name: msg("Heading"), sign: "H", key: "Mod-Alt-1", run: before("## ") },
  { name: msg("List of points"), sign: "•", key: "Mod-Shift-8", run: before("- ") },
  { name: msg("Box to tick"), sign: "☑", key: "Mod-Shift-9", run: before("- [ ] ") },
  { name: msg("Link to a note"), sign: "[[", run: around("[[", "]]") },
];

function around(opening: string, closing = opening) {
  return (view: EditorView): boolean => {
    const { from, to } = view.state.selection.main;
    const { doc } = view.state;
    const isInside =
      doc.sliceString(from - opening.length, from) === opening && doc.sliceString(to, to + closing.length) === closing;
    const changes = isInside
      ? [
          { from: from - opening.length, to: from },
          { from: to, to: to + closing.length },
        ]
      : [
          { from, insert: opening },
          { from: to, insert: closing },
        ];
    const by = isInside ? -opening.length : opening.length;
    view.dispatch({ changes, selection: { anchor: from + by, head: to + by }, userEvent: "input" });
    view.focus();
    return true;
  };
}

/** Puts a mark before each selected line, or removes it if all have it. */
function before(mark: string) {
  return (view: EditorView): boolean => {
    const { from, to } = view.state.selection.main;
    const { doc } = view.state;
    const lines = [];
    for (let number = doc.lineAt(from).number; number <= doc.lineAt(to).number; number += 1) {
      lines.push(doc.line(number));
    }
    const isMarked = lines.every(({ text }) => text.startsWith(mark));
    const changes = lines.map(({ from: start, text }) => {
      const old = /^(#{1,6} |[-*+] \[[ xX]\] |[-*+] )?/.exec(text)?.[0].length ?? 0;
      return { from: start, to: start + old, insert: isMarked ? "" : mark };
    });
    view.dispatch({ changes, userEvent: "input" });
    view.focus();
    return true;
  };
}
