/** An editor for a Markdown text. What the user does not touch stays as it is, to the letter. */
import { autocompletion, type CompletionContext, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { deleteMarkupBackward, insertNewlineContinueMarkupCommand, markdownLanguage } from "@codemirror/lang-markdown";
import { forceParsing } from "@codemirror/language";
import { Annotation, EditorState, Prec } from "@codemirror/state";
import { EditorView, keymap, placeholder } from "@codemirror/view";
import { useEffect, useLayoutEffect, useRef } from "react";
import { t } from "../i18n/translate";
import { Icon } from "../parts/Icon";
import { linkName } from "../parts/title_links";
import { COMMANDS } from "./commands";
import { LIVE_THEME, liveMarkdown, type Opens } from "./live_markdown";
import { pastedMarkdown } from "./pasting";
import { beginPlace, insertAt, waitingPlaces } from "./places";

export interface MarkdownEditorProps extends Opens {
  readonly label: string;
  readonly text: string;
  /** Another one for each text that the editor did not give itself: an echo of what was written changes nothing. */
  readonly revision: number;
  /** Whether the user has come to write, as into a new note. */
  readonly isFocused?: boolean;
  onChange(text: string): void;
  /** The titles that a link can name. */
  titles(): readonly string[];
  /** Returns what the Markdown refers to; null if it failed, which is said elsewhere. */
  savePicture(picture: Blob): Promise<string | null>;
}

export function MarkdownEditor(props: MarkdownEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    const element = host.current as HTMLDivElement;
    // In a shadow root its styles are adopted, which the page's policy allows.
    const root = element.shadowRoot ?? element.attachShadow({ mode: "open" });
    const made = new EditorView({
      root,
      parent: root as unknown as Element,
      state: EditorState.create({ doc: latest.current.text, extensions: extensionsFor(latest) }),
    });
    view.current = made;
    // The user may have begun with the title while this script was fetched.
    if (latest.current.isFocused && !document.activeElement?.matches("input, textarea")) {
      made.focus();
    }
    return () => made.destroy();
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the revision says when the text is not the editor's own
  useLayoutEffect(() => {
    const made = view.current;
    const change = made === undefined ? null : differing(made.state.doc.toString(), latest.current.text);
    if (made !== undefined && change !== null) {
      made.dispatch({ changes: change, annotations: given.of(true) });
    }
  }, [props.revision]);
  return (
    <div className="markdown-editor">
      <div className="row tools" role="toolbar" aria-label={t("Format")}>
        {COMMANDS.map(({ name, sign, look, run }) => (
          <button
            key={name}
            type="button"
            className={`button small quiet ${look ?? ""}`}
            aria-label={t(name)}
            title={t(name)}
            // The editor keeps the focus and its selection.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => view.current !== undefined && run(view.current)}
          >
            {sign}
          </button>
        ))}
        <PictureButton onChoose={(picture) => void insertPicture(view.current, latest.current, picture)} />
      </div>
      <div ref={host} className="editor-host" data-editor />
    </div>
  );
}

function PictureButton({ onChoose }: { onChoose: (picture: File) => void }) {
  return (
    <label className="button small quiet" title={t("Picture")}>
      <Icon name="picture" />
      <input
        type="file"
        accept="image/*"
        className="unseen"
        aria-label={t("Picture")}
        onChange={({ target }) => {
          const [picture] = target.files ?? [];
          if (picture !== undefined) {
            onChoose(picture);
          }
          target.value = "";
        }}
      />
    </label>
  );
}

/** Marks a change that comes from the page. */
const given = Annotation.define<boolean>();

type Latest = { readonly current: MarkdownEditorProps };

/** How long Enter waits for what was just written to be read, in milliseconds. */
const READING_MS = 100;
const continueList = insertNewlineContinueMarkupCommand({ nonTightLists: false });

/** Enter goes on with a list, and on an empty item ends it, however fast the item was written. */
const LIST_KEYS = [
  {
    key: "Enter",
    run: (view: EditorView) => {
      forceParsing(view, view.state.selection.main.head, READING_MS);
      return continueList(view);
    },
  },
  { key: "Backspace", run: deleteMarkupBackward },
];

function extensionsFor(latest: Latest) {
  const { label } = latest.current;
  return [
    history(),
    Prec.high(keymap.of(COMMANDS.flatMap(({ key, run }) => (key === undefined ? [] : [{ key, run }])))),
    keymap.of([...completionKeymap, ...LIST_KEYS, ...historyKeymap, ...defaultKeymap, indentWithTab]),
    markdownLanguage,
    autocompletion({ override: [(context) => linkCompletions(context, latest)], icons: false }),
    liveMarkdown({
      open: (link) => latest.current.open(link),
      picture: (name) => latest.current.picture(name),
    }),
    waitingPlaces,
    EditorView.lineWrapping,
    EditorView.perLineTextDirection.of(true),
    EditorView.contentAttributes.of({
      "aria-label": label,
      "aria-description": t("Tab indents. Press Escape before it to leave the text."),
      spellcheck: "true",
      autocapitalize: "sentences",
    }),
    placeholder(t("Write here. - makes a list, - [ ] a box, [[ a link to a note")),
    EditorView.updateListener.of((update) => {
      if (update.docChanged && !update.transactions.some((each) => each.annotation(given))) {
        latest.current.onChange(update.state.doc.toString());
      }
    }),
    EditorView.domEventHandlers({
      paste: (event, view) => taken(event.clipboardData, view, latest.current, event),
      drop: (event, view) => taken(event.dataTransfer, view, latest.current, event),
    }),
    LIVE_THEME,
  ];
}

/** Whether something else than the plain text was inserted. */
function taken(data: DataTransfer | null, view: EditorView, props: MarkdownEditorProps, event: Event): boolean {
  const picture = [...(data?.files ?? [])].find(({ type }) => type.startsWith("image/"));
  const html = data?.getData("text/html") ?? "";
  if (picture !== undefined) {
    event.preventDefault();
    void insertPicture(view, props, picture);
    return true;
  }
  if (html === "" || event.type === "drop") {
    return false;
  }
  event.preventDefault();
  const plain = data?.getData("text/plain") ?? "";
  const place = beginPlace(view);
  void pastedMarkdown(html)
    .catch(() => plain)
    .then((text) => insertAt(place, view, text, props.onChange));
  return true;
}

async function insertPicture(view: EditorView | undefined, props: MarkdownEditorProps, picture: File): Promise<void> {
  if (view === undefined) {
    return;
  }
  const place = beginPlace(view);
  const name = await props.savePicture(picture);
  const alt = picture.name.replace(/\.\w+$/, "").replace(/[[\]]/g, "");
  insertAt(place, view, name === null ? null : `![${alt}](attachment:${name})\n`, props.onChange);
}

function linkCompletions(context: CompletionContext, latest: Latest) {
  const before = context.matchBefore(/\[\[[^[\]\n]*/);
  if (before === null) {
    return null;
  }
  const after = context.state.sliceDoc(context.pos, context.pos + 2) === "]]" ? "" : "]]";
  return {
    from: before.from + 2,
    options: latest.current.titles().map((title) => ({ label: title, apply: `${linkName(title)}${after}` })),
    validFor: /^[^[\]\n]*$/,
  };
}

/** The one change between two texts, so that the cursor stays where it is; null without one. Pure. */
export function differing(before: string, after: string): { from: number; to: number; insert: string } | null {
  if (before === after) {
    return null;
  }
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) {
    start += 1;
  }
  let same = 0;
  const longest = Math.min(before.length, after.length) - start;
  while (same < longest && before[before.length - 1 - same] === after[after.length - 1 - same]) {
    same += 1;
  }
  return { from: start, to: before.length - same, insert: after.slice(start, after.length - same) };
}
