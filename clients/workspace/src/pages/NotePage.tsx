import type { RowOf } from "@adiuva/client/database";
import { useCallback, useEffect, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import { useContextualScope } from "../chat/ContextualChatProvider";
import { Markdown } from "../chat/Markdown";
import { ConfirmButton } from "../parts/ConfirmButton";
import { HeadingInput } from "../parts/HeadingInput";
import { PageFrame } from "../parts/PageFrame";
import { Problem } from "../parts/Problem";
import { ProjectSelect } from "../parts/ProjectSelect";
import { useRow, useStore, useTask } from "../rpc/RpcProvider";

/** How long after the last key the text is saved. */
const PAUSE_MS = 500;

export function NotePage({ id }: { id: string }) {
  const note = useRow("notes", id);
  if (note === undefined) {
    return <PageFrame title="Note">{null}</PageFrame>;
  }
  if (note === null) {
    return (
      <PageFrame title="Note">
        <p>
          There is no such note any more. <Link href="/notes">All notes</Link>
        </p>
      </PageFrame>
    );
  }
  return <Note key={id} note={note} />;
}

function Note({ note }: { note: RowOf["notes"] }) {
  const { id, title, projectId } = note;
  const store = useStore();
  const [, go] = useLocation();
  const { run, error } = useTask();
  const [isWritten, setWritten] = useState(note.content === "");
  const { text, write } = useKeptText(note.content, (content) => run(() => store.update("notes", id, { content })));
  useContextualScope({
    page: "note",
    entityType: "note",
    entityId: id,
    entityName: title,
    projectId,
    charCount: note.content.length,
  });
  return (
    <PageFrame
      title={title}
      scrolls={false}
      heading={
        <HeadingInput
          label="Title of the note"
          value={title}
          onSave={(given) => void run(() => store.update("notes", id, { title: given }))}
        />
      }
    >
      <div className="note-editor">
        <div className="row">
          <button type="button" className="button" onClick={() => setWritten(!isWritten)}>
            {isWritten ? "Read" : "Write"}
          </button>
          <ProjectSelect
            label="Project"
            none="No project"
            value={projectId ?? ""}
            onChange={(given) => void run(() => store.update("notes", id, { projectId: given || null }))}
          />
          <ConfirmButton
            isDangerous
            name="Delete"
            question="Delete this note?"
            yes="Yes, delete it"
            act={async () => {
              await store.remove("notes", id);
              go("/notes");
            }}
          />
        </div>
        <Problem error={error} />
        {isWritten ? (
          <textarea
            aria-label="Text of the note, in Markdown"
            placeholder="Write here, in Markdown"
            value={text}
            onChange={(event) => write(event.target.value)}
          />
        ) : (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
          <section className="preview" tabIndex={0} aria-label="Text of the note">
            <Markdown text={text} />
          </section>
        )}
      </div>
    </PageFrame>
  );
}

/** A text that is saved after a pause and on leaving. Changes made elsewhere replace it unless the user is writing. */
function useKeptText(kept: string, save: (text: string) => Promise<unknown>) {
  const [text, setText] = useState(kept);
  const unsaved = useRef<string | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const latestSave = useRef(save);
  latestSave.current = save;
  const flush = useCallback(() => {
    clearTimeout(timer.current);
    if (unsaved.current !== null) {
      const now = unsaved.current;
      unsaved.current = null;
      void latestSave.current(now);
    }
  }, []);
  useEffect(() => {
    if (unsaved.current === null) {
      setText(kept);
    }
  }, [kept]);
  useEffect(() => {
    addEventListener("pagehide", flush);
    return () => {
      removeEventListener("pagehide", flush);
      flush();
    };
  }, [flush]);
  const write = (now: string) => {
    setText(now);
    unsaved.current = now;
    clearTimeout(timer.current);
    timer.current = setTimeout(flush, PAUSE_MS);
  };
  return { text, write };
}
