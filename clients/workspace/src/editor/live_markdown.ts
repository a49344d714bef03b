/**
 * Markdown that looks like what it says, while the text stays exactly what it is: marks are hidden but on the lines that
 * are being written, boxes can be ticked, pictures and links to notes are shown.
 */
import { syntaxTree } from "@codemirror/language";
import type { EditorState, Range } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate, WidgetType } from "@codemirror/view";
import type { SyntaxNode } from "@lezer/common";
import { namesFile, pictureWords } from "../moving/links";
import { hostBeside } from "../parts/hosts";

export interface Opens {
  /** A link to a note, by its title, or to an address. */
  open(link: { readonly note: string } | { readonly address: string }): void;
  /** The address of a stored picture that the page may show; null if it is gone. */
  picture(name: string): Promise<string | null>;
}

const STYLED: Readonly<Record<string, string>> = {
  ATXHeading1: "h1",
  ATXHeading2: "h2",
  ATXHeading3: "h3",
  ATXHeading4: "h4",
  ATXHeading5: "h4",
  ATXHeading6: "h4",
  StrongEmphasis: "strong",
  Emphasis: "em",
  Strikethrough: "del",
  InlineCode: "code",
};
const HIDDEN = new Set(["HeaderMark", "EmphasisMark", "StrikethroughMark", "CodeMark", "LinkMark", "URL"]);
const NOTE_LINK = /(!?)\[\[([^[\]\n]+)\]\]/g;
const STORED = /^attachment:([\w.-]+)$/;

export function liveMarkdown(opens: Opens) {
  return ViewPlugin.fromClass(
    class {
      decorations: DecorationSet;

      constructor(view: EditorView) {
        this.decorations = decorated(view, opens);
      }

      update(update: ViewUpdate): void {
        const isParsed = syntaxTree(update.startState) !== syntaxTree(update.state);
        if (update.docChanged || update.viewportChanged || update.selectionSet || update.focusChanged || isParsed) {
          this.decorations = decorated(update.view, opens);
        }
      }
    },
    {
      decorations: (plugin) => plugin.decorations,
      eventHandlers: { mousedown: (event, view) => pressed(event, view, opens) },
    },
  );
}

/** Changes the box at a place of the text. */
export function tickAt(state: EditorState, at: number): { from: number; to: number; insert: string } | null {
  const line = state.doc.lineAt(at);
  const match = /^(\s*(?:[-*+]|\d+[.)]) \[)([ xX])\]/.exec(line.text);
  if (match === null) {
    return null;
  }
  const from = line.from + (match[1] as string).length;
  return { from, to: from + 1, insert: match[2] === " " ? "x" : " " };
}

function pressed(event: MouseEvent, view: EditorView, opens: Opens): boolean {
  const target = event.target as HTMLElement;
  if (target.matches(".cm-box")) {
    const change = tickAt(view.state, view.posAtDOM(target));
    if (change !== null) {
      view.dispatch({ changes: change, userEvent: "input" });
    }
    event.preventDefault();
    return true;
  }
  const link = target.closest<HTMLElement>("[data-note], [data-address]");
  // On the line that is written a press sets the cursor, but for Ctrl.
  if (link !== null && (event.ctrlKey || event.metaKey || link.dataset.written !== "true")) {
    const { note, address } = link.dataset;
    opens.open(note === undefined ? { address: address ?? "" } : { note });
    event.preventDefault();
    return true;
  }
  return false;
}

function decorated(view: EditorView, opens: Opens): DecorationSet {
  const { state } = view;
  const found: Range<Decoration>[] = [];
  const isWritten = (from: number, to: number) =>
    view.hasFocus &&
    state.selection.ranges.some(
      (range) => range.from <= state.doc.lineAt(to).to && range.to >= state.doc.lineAt(from).from,
    );
  for (const { from, to } of view.visibleRanges) {
    syntaxTree(state).iterate({
      from,
      to,
      enter: ({ name, from: start, to: end, node }) => {
        const style = STYLED[name];
        if (style !== undefined) {
          found.push(Decoration.mark({ class: `cm-${style}` }).range(start, end));
        } else if (name === "TaskMarker") {
          found.push(Decoration.replace({ widget: new Box(state.sliceDoc(start, end) !== "[ ]") }).range(start, end));
        } else if (name === "ListMark" && node.parent?.parent?.name === "BulletList") {
          const isTask = node.nextSibling?.name === "Task";
          const shown = isTask ? Decoration.replace({}) : Decoration.replace({ widget: new Bullet() });
          found.push(shown.range(start, isTask ? end + 1 : end));
        } else if (name === "Link" && node.getChild("URL") !== null) {
          const url = node.getChild("URL");
          const address = url === null ? "" : state.sliceDoc(url.from, url.to);
          const attributes = { "data-address": address, "data-written": String(isWritten(start, end)) };
          found.push(Decoration.mark({ class: "cm-link", attributes }).range(start, end));
          const host = hostBeside(address, state.sliceDoc(start + 1, url?.from).replace(/\]\($/, ""));
          if (host !== null && !isWritten(start, end)) {
            found.push(Decoration.widget({ widget: new Host(host), side: 1 }).range(end));
          }
        } else if (name === "Image") {
          const url = node.getChild("URL");
          const stored = url === null ? null : STORED.exec(state.sliceDoc(url.from, url.to));
          if (stored !== null && !isWritten(start, end)) {
            const widget = new Picture(
              stored[1] as string,
              state.sliceDoc(start + 2, url?.from).replace(/\]\($/, ""),
              opens,
            );
            found.push(Decoration.replace({ widget }).range(start, end));
            return false;
          }
        } else if (HIDDEN.has(name) && !isWritten(start, end) && end > start && isMark(name, node.parent)) {
          // The space after the marks of a heading goes with them.
          const after = name === "HeaderMark" && state.sliceDoc(end, end + 1) === " " ? 1 : 0;
          found.push(Decoration.replace({}).range(start, end + after));
        }
        return undefined;
      },
    });
    for (const match of state.sliceDoc(from, to).matchAll(NOTE_LINK)) {
      const [all, embed, inside] = match as unknown as [string, string, string];
      if (embed !== "" && namesFile(inside)) {
        // An embed of Obsidian, whose file is not here.
        continue;
      }
      const start = from + match.index + embed.length;
      const end = from + match.index + all.length;
      const attributes = { "data-note": inside, "data-written": String(isWritten(start, end)) };
      found.push(Decoration.mark({ class: "cm-link", attributes }).range(start, end));
    }
  }
  return Decoration.set(found, true);
}

/** Addresses that stand for themselves stay; so does what encloses code of several lines. */
function isMark(name: string, parent: SyntaxNode | null): boolean {
  switch (name) {
    case "URL":
    case "LinkMark":
      return parent?.name === "Link" && parent.getChild("URL") !== null;
    case "CodeMark":
      return parent?.name === "InlineCode";
    default:
      return true;
  }
}

class Box extends WidgetType {
  readonly #isTicked: boolean;

  constructor(isTicked: boolean) {
    super();
    this.#isTicked = isTicked;
  }

  override eq(other: Box): boolean {
    return other.#isTicked === this.#isTicked;
  }

  override toDOM(): HTMLElement {
    const box = document.createElement("input");
    box.type = "checkbox";
    box.className = "cm-box";
    box.checked = this.#isTicked;
    box.tabIndex = -1;
    box.setAttribute("aria-label", this.#isTicked ? "☑" : "☐");
    return box;
  }

  override ignoreEvent(): boolean {
    return false;
  }
}

class Bullet extends WidgetType {
  override eq(): boolean {
    return true;
  }

  override toDOM(): HTMLElement {
    const bullet = document.createElement("span");
    bullet.textContent = "•";
    return bullet;
  }
}

class Host extends WidgetType {
  readonly #name: string;

  constructor(name: string) {
    super();
    this.#name = name;
  }

  override eq(other: Host): boolean {
    return other.#name === this.#name;
  }

  override toDOM(): HTMLElement {
    const host = document.createElement("bdi");
    host.className = "cm-host";
    host.textContent = `(${this.#name})`;
    return host;
  }
}

class Picture extends WidgetType {
  readonly #name: string;
  readonly #alt: string;
  readonly #opens: Opens;

  constructor(name: string, alt: string, opens: Opens) {
    super();
    this.#name = name;
    this.#alt = alt;
    this.#opens = opens;
  }

  override eq(other: Picture): boolean {
    return other.#name === this.#name && other.#alt === this.#alt;
  }

  override toDOM(view: EditorView): HTMLElement {
    const image = document.createElement("img");
    image.className = "cm-picture";
    const { words, widthPx } = pictureWords(this.#alt);
    image.alt = words;
    if (widthPx !== null) {
      image.width = widthPx;
    }
    image.addEventListener("load", () => view.requestMeasure());
    void this.#opens.picture(this.#name).then((address) => {
      if (address !== null) {
        image.src = address;
      }
    });
    return image;
  }
}

export const LIVE_THEME = EditorView.theme({
  "&": { height: "100%", color: "var(--text)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "inherit", lineHeight: "1.6", overflow: "auto" },
  ".cm-line": { unicodeBidi: "plaintext" },
  ".cm-content": { padding: "16px", caretColor: "var(--text)", maxWidth: "760px" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-h1": { fontSize: "1.5em", fontWeight: "650" },
  ".cm-h2": { fontSize: "1.25em", fontWeight: "650" },
  ".cm-h3": { fontSize: "1.1em", fontWeight: "650" },
  ".cm-h4": { fontWeight: "650" },
  ".cm-strong": { fontWeight: "700" },
  ".cm-em": { fontStyle: "italic" },
  ".cm-del": { textDecoration: "line-through" },
  ".cm-code": {
    fontFamily: "ui-monospace, monospace",
    fontSize: "0.92em",
    background: "var(--sunken)",
    borderRadius: "4px",
  },
  ".cm-link": { color: "var(--accent)", textDecoration: "underline", cursor: "pointer" },
  ".cm-host": { marginInlineStart: "0.3em", color: "var(--muted)", fontSize: "0.88em", overflowWrap: "anywhere" },
  ".cm-box": {
    width: "17px",
    height: "17px",
    margin: "0 6px 0 0",
    verticalAlign: "-3px",
    accentColor: "var(--accent)",
  },
  ".cm-picture": { display: "block", maxWidth: "100%", maxHeight: "480px", borderRadius: "8px", margin: "6px 0" },
  ".cm-placeholder": { color: "var(--muted)" },
  ".cm-tooltip": {
    background: "var(--raised)",
    border: "1px solid var(--border)",
    borderRadius: "8px",
    color: "var(--text)",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "inherit", maxWidth: "min(360px, 80vw)" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": {
    padding: "5px 10px",
    overflow: "hidden",
    textOverflow: "ellipsis",
  },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { background: "var(--accent-surface)", color: "var(--accent)" },
  // As in base.css, which does not reach into the editor.
  "@media (forced-colors: active)": {
    ".cm-tooltip-autocomplete ul li[aria-selected]": { outline: "2px solid Highlight", outlineOffset: "-2px" },
  },
});
