import { useDeferredValue, useMemo, useState } from "react";
import { useLocation } from "wouter";
import { useContextualScope } from "../chat/ContextualChatProvider";
import { EmptyState } from "../parts/EmptyState";
import { PageFrame } from "../parts/PageFrame";
import { Problem } from "../parts/Problem";
import { useRows, useStore, useTask } from "../rpc/RpcProvider";
import { NoteCards } from "./NoteCards";

export function NotesPage() {
  const store = useStore();
  const [, go] = useLocation();
  const { run, isBusy, error } = useTask();
  const [search, setSearch] = useState("");
  const sought = useDeferredValue(search.trim());
  const notes = useRows("notes", { ...(sought === "" ? {} : { search: sought }), orderBy: "-updatedAt" });
  const projects = useRows("projects", { includeArchived: true });
  const names = useMemo(() => new Map((projects ?? []).map(({ id, name }) => [id, name])), [projects]);
  useContextualScope({
    page: "notes-list",
    entityType: null,
    ...(sought === "" ? {} : { filters: { search: sought } }),
  });
  const add = async () => {
    await run(async () => go(`/notes/${(await store.insert("notes", { title: "New note" })).id}`));
  };
  return (
    <PageFrame
      title="Notes"
      actions={
        <button type="button" className="button primary" disabled={isBusy} onClick={() => void add()}>
          New note
        </button>
      }
    >
      <search className="filters">
        <input
          className="input search"
          type="search"
          aria-label="Search notes"
          placeholder="Search"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
      </search>
      <Problem error={error} />
      {notes !== null && notes.length > 0 && <NoteCards notes={notes} projects={names} />}
      {notes?.length === 0 && (
        <EmptyState
          line={sought === "" ? "No notes yet. Write one, or ask:" : "No note matches. You can also ask:"}
          offersData={sought === ""}
        />
      )}
    </PageFrame>
  );
}
