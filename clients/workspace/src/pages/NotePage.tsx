import { newUuid } from "@adiuva/client";
import type { RowOf } from "@adiuva/client/database";
import { lazy, Suspense, useRef } from "react";
import { Link, Redirect, useLocation, useSearch } from "wouter";
import { useContextualScope } from "../chat/ContextualChatProvider";
import { T, t } from "../i18n/translate";
import { ConfirmButton } from "../parts/ConfirmButton";
import { HeadingInput } from "../parts/HeadingInput";
import { PageFrame } from "../parts/PageFrame";
import { Problem } from "../parts/Problem";
import { ProjectSelect } from "../parts/ProjectSelect";
import { useIsMounted } from "../parts/useIsMounted";
import type { SavedNote } from "../rpc/messages";
import { useRow, useStore, useTask } from "../rpc/RpcProvider";
import { Backlinks } from "./Backlinks";
import { PlainEditor } from "./PlainEditor";
import { useKeptNote } from "./useKeptNote";
import { useEditorLinks } from "./useLinks";

type NoteRow = RowOf["notes"];

const LazyEditor = lazy(() =>
  import("../editor/MarkdownEditor").then(
    ({ MarkdownEditor }) => ({ default: MarkdownEditor }),
    () => ({ default: PlainEditor }),
  ),
);

const NEW = "new";

/**
 * The address is `new` followed by the id of the row to be while nothing is written: an empty note leaves nothing behind,
 * and one that was saved as its page was left is found again.
 */
export function NotePage({ id }: { id: string }) {
  const query = useSearch();
  const isNew = id.startsWith(`${NEW}.`);
  const rowId = isNew ? id.slice(NEW.length + 1) : id;
  const stored = useRow("notes", rowId);
  if (id === NEW) {
    return <Redirect to={`/notes/${NEW}.${newUuid()}${query && `?${query}`}`} replace />;
  }
  if (stored === undefined) {
    return <PageFrame title={t("Note")} isLoading />;
  }
  if (stored === null && !isNew) {
    return (
      <PageFrame title={t("Note")}>
        <p>
          <T text="There is no such note any more. <0>All notes</0>" elements={[<Link key="all" href="/notes" />]} />
        </p>
      </PageFrame>
    );
  }
  return (
    <>
      {isNew && stored !== null && <Redirect to={`/notes/${rowId}`} replace />}
      <Note key={rowId} id={rowId} note={stored} />
    </>
  );
}

/** Writes to the note with this `id`, which is made by the first thing that is written. */
function useNoteWriter(id: string, note: NoteRow | null) {
  const store = useStore();
  const given = new URLSearchParams(useSearch());
  const made = useRef<Promise<void> | null>(null);
  const begin = async (first: Partial<NoteRow>): Promise<void> => {
    const title = first.title ?? given.get("title") ?? titleOf(first.content ?? "");
    try {
      await store.insert("notes", { projectId: given.get("project"), ...first, title }, id);
    } catch (error) {
      // The page was left, which saved the note, and opened again before that was done.
      if ((await store.get("notes", id)) === null) {
        throw error;
      }
      await (first.content === undefined ? store.update("notes", id, first) : store.saveNote(id, "", first.content));
    }
  };
  const change = async (changes: Partial<NoteRow>): Promise<void> => {
    if (note === null && made.current === null) {
      made.current = begin(changes);
      // What could not be made is made by the next change.
      made.current.catch(() => {
        made.current = null;
      });
      await made.current;
    } else {
      await made.current;
      await store.update("notes", id, changes);
    }
  };
  const saveText = async (base: string, text: string): Promise<SavedNote | null> => {
    if (note === null && made.current === null) {
      if (text.trim() !== "") {
        await change({ content: text });
      }
      return { content: text, isConflict: false };
    }
    await made.current;
    const saved = await store.saveNote(id, base, text);
    if (saved === null) {
      throw new Error(t("This note was deleted elsewhere. What you write is kept here until you leave the page."));
    }
    return saved;
  };
  return { change, saveText };
}

const LONGEST_TITLE = 80;

/** The first line, without its marks. It ends with a whole character: the database takes no half of an emoji. */
function titleOf(text: string): string {
  const line = text.split("\n").find((each) => each.trim() !== "") ?? "";
  const title = line.replace(/^[\s#>*+-]*(\[[ xX]\] )?/, "").trim();
  return title === "" ? t("New note") : Array.from(title).slice(0, LONGEST_TITLE).join("");
}

function Note({ id, note }: { id: string; note: NoteRow | null }) {
  const store = useStore();
  const [, go] = useLocation();
  const { run, error } = useTask();
  const { change, saveText } = useNoteWriter(id, note);
  const isMounted = useIsMounted();
  const { text, revision, write, isConflict } = useKeptNote(
    id,
    note?.content ?? "",
    async ({ base, text: written }) => {
      let saved: SavedNote | null = null;
      await run(async () => {
        saved = await saveText(base, written);
      });
      return saved;
    },
  );
  const links = useEditorLinks();
  const savePicture = async (picture: Blob): Promise<string | null> => {
    let saved: string | null = null;
    await run(async () => {
      saved = await store.savePicture(picture);
    });
    return saved;
  };
  const title = note?.title ?? t("New note");
  useContextualScope(
    note && {
      page: "note",
      entityType: "note",
      entityId: note.id,
      entityName: title,
      projectId: note.projectId,
      charCount: note.content.length,
    },
  );
  return (
    <PageFrame
      title={title}
      scrolls={false}
      heading={
        <HeadingInput
          label={t("Title of the note")}
          value={title}
          onSave={(given) => void run(() => change({ title: given }))}
        />
      }
    >
      <div className="note-editor">
        <div className="row">
          <ProjectSelect
            label={t("Project")}
            none={t("No project")}
            value={note?.projectId ?? new URLSearchParams(location.search).get("project") ?? ""}
            onChange={(given) => void run(() => change({ projectId: given || null }))}
          />
          {note !== null && (
            <ConfirmButton
              isDangerous
              name={t("Delete")}
              question={t("Delete this note?")}
              yes={t("Yes, delete it")}
              act={async () => {
                await store.remove("notes", note.id);
                if (isMounted.current) {
                  go("/notes");
                }
              }}
            />
          )}
        </div>
        <Problem error={error} />
        {isConflict && (
          <p className="alert" role="alert">
            {t("The same words were changed elsewhere at the same time. Both versions are in the text.")}
          </p>
        )}
        <Suspense fallback={<div className="markdown-editor" />}>
          <LazyEditor
            label={t("Text of the note, in Markdown")}
            text={text}
            revision={revision}
            isFocused={note === null}
            onChange={write}
            savePicture={savePicture}
            {...links}
          />
        </Suspense>
        {note !== null && <Backlinks of={note} />}
      </div>
    </PageFrame>
  );
}
