/** Rows that an undo left as they are, because they were changed since: both versions of each. */
import type { UndoConflict } from "@adiuva/client";
import type { Entry } from "@adiuva/client/database";
import { TwoRows } from "../parts/TwoRows";
import type { TableName } from "../rpc/messages";
import { rowNamed } from "./words";

const NOW_AND_THEN = {
  names: ["As it is", "As it would be"],
  nothing: ["It is deleted.", "It would be deleted."],
} as const;

export function Conflicts({
  conflicts,
  of,
  isBusy,
  onRest,
  onClose,
}: {
  conflicts: readonly UndoConflict[];
  /** What was to be undone. */
  of: readonly Entry[];
  isBusy: boolean;
  /** Undoes everything else; absent if that was done. */
  onRest?: (() => void) | undefined;
  onClose: () => void;
}) {
  return (
    <section className="question" aria-label="Changed since" ref={show}>
      <p role="alert">
        {onRest === undefined ? "This was left as it is" : "Nothing was undone"}, because it was changed since.
      </p>
      {conflicts.map(({ table, id, now, would_be }) => (
        <div key={`${table} ${id}`} className="entry">
          <strong>{capitalised(rowNamed(table as TableName, now ?? would_be))}</strong>
          <TwoRows {...NOW_AND_THEN} one={now} other={would_be} />
        </div>
      ))}
      <div className="row">
        {onRest && hasOthers(of, conflicts) && (
          <button type="button" className="button" disabled={isBusy} onClick={onRest}>
            Undo everything else
          </button>
        )}
        <button type="button" className="button" onClick={onClose}>
          Keep it as it is
        </button>
      </div>
    </section>
  );
}

/** On a small screen it would be below what is seen. */
function show(section: HTMLElement | null): void {
  section?.scrollIntoView?.({ block: "nearest" });
}

/** Whether the entries changed rows that are in no conflict. */
function hasOthers(entries: readonly Entry[], conflicts: readonly UndoConflict[]): boolean {
  const stuck = new Set(conflicts.map(({ table, id }) => `${table} ${id}`));
  return entries.some(({ changes }) => changes.some(({ table, id }) => !stuck.has(`${table} ${id}`)));
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
