import type { RowOf } from "@adiuva/client/database";
import { useDeferredValue, useMemo, useState } from "react";
import { useLocation } from "wouter";
import { useContextualScope } from "../chat/ContextualChatProvider";
import { t } from "../i18n/translate";
import { EmptyState } from "../parts/EmptyState";
import { foldedText, wordsOf } from "../parts/folding";
import { NewButton } from "../parts/NewButton";
import { oncePer } from "../parts/once_per";
import { PageFrame } from "../parts/PageFrame";
import { useTable } from "../rpc/tables";
import { NoteCards } from "./NoteCards";

export function NotesPage() {
  const [, go] = useLocation();
  const [search, setSearch] = useState("");
  const sought = useDeferredValue(search.trim());
  const rows = useTable("notes");
  const notes = useMemo(() => rows && notesIn(rows, sought), [rows, sought]);
  const projects = useTable("projects");
  const names = useMemo(() => new Map((projects ?? []).map(({ id, name }) => [id, name])), [projects]);
  useContextualScope({
    page: "notes-list",
    entityType: null,
    ...(sought === "" ? {} : { filters: { search: sought } }),
  });
  return (
    <PageFrame title={t("Notes")} actions={<NewButton name={t("New note")} onClick={() => go("/notes/new")} />}>
      <search className="filters">
        <input
          className="input search"
          type="search"
          data-search
          aria-label={t("Search notes")}
          placeholder={t("Search")}
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
      </search>
      {notes !== null && notes.length > 0 && <NoteCards notes={notes} projects={names} />}
      {notes?.length === 0 && (
        <EmptyState
          line={
            sought === ""
              ? t("No notes yet. In a note, [[ links to another one, and - [ ] makes a box to tick. You can ask:")
              : t("No note matches. You can also ask:")
          }
          offersData={sought === ""}
        />
      )}
    </PageFrame>
  );
}

const searchedText = oncePer(({ title, content }: RowOf["notes"]) => foldedText(`${title}\n${content}`));

/** Those with all words of a search, the latest first. */
function notesIn(notes: readonly RowOf["notes"][], search: string): RowOf["notes"][] {
  const words = wordsOf(search);
  const found =
    words.length === 0 ? [...notes] : notes.filter((note) => words.every((word) => searchedText(note).includes(word)));
  return found.sort((one, other) => other.updatedAt - one.updatedAt);
}
