import { useDeferredValue, useState } from "react";
import { Link, useLocation } from "wouter";
import { useContextualScope } from "../chat/ContextualChatProvider";
import { useKeeper, useRows, useTask } from "../line/LineProvider";
import { dayShown } from "../parts/dates";
import { EmptyState } from "../parts/EmptyState";
import { excerptOf } from "../parts/excerpt";
import { PageFrame } from "../parts/PageFrame";

export function NotesPage() {
  const keeper = useKeeper();
  const [, go] = useLocation();
  const { run, isBusy, error } = useTask();
  const [search, setSearch] = useState("");
  const sought = useDeferredValue(search.trim());
  const notes = useRows("notes", { ...(sought === "" ? {} : { search: sought }), orderBy: "-updatedAt" });
  const projects = useRows("projects", { includeArchived: true });
  useContextualScope({
    page: "notes-list",
    entityType: null,
    ...(sought === "" ? {} : { filters: { search: sought } }),
  });
  const add = async () => {
    await run(async () => go(`/notes/${(await keeper.insert("notes", { title: "New note" })).id}`));
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
      {error !== "" && <p className="alert">{error}</p>}
      <ul className="cards">
        {notes?.map((note) => (
          <li key={note.id}>
            <Link className="card" href={`/notes/${note.id}`}>
              <h2>{note.title}</h2>
              <p>{excerptOf(note.content)}</p>
              <span className="row">
                <span className="small muted">{dayShown(note.updatedAt)}</span>
                {note.projectId !== null && (
                  <span className="pill">{projects?.find(({ id }) => id === note.projectId)?.name ?? "…"}</span>
                )}
              </span>
            </Link>
          </li>
        ))}
      </ul>
      {notes?.length === 0 && (
        <EmptyState
          line={
            sought === ""
              ? "No notes yet. Write one, or ask about those to come:"
              : "No note says that. You can also ask:"
          }
          offersData={sought === ""}
        />
      )}
    </PageFrame>
  );
}
