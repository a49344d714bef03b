import type { RowOf } from "@adiuva/client/database";
import { Cards } from "../parts/Cards";
import { dayShown } from "../parts/dates";
import { excerptOf } from "../parts/excerpt";
import { countOf } from "../parts/words";

const LINES = 4;

/** `projects` holds the names of the notes' projects, unless all notes belong to the same one. */
export function NoteCards({
  notes,
  projects,
  level = 2,
}: {
  notes: readonly RowOf["notes"][];
  projects?: ReadonlyMap<string, string>;
  level?: 2 | 3;
}) {
  return (
    <Cards
      label={countOf("notes", notes.length)}
      level={level}
      items={notes}
      lines={LINES}
      cardOf={({ id, title, content }) => ({ href: `/notes/${id}`, title, text: excerptOf(content) })}
      facts={({ projectId, updatedAt }) => (
        <>
          <span className="small muted">{dayShown(updatedAt)}</span>
          {projectId !== null && projects !== undefined && (
            <span className="pill project">{projects.get(projectId) ?? "…"}</span>
          )}
        </>
      )}
    />
  );
}
