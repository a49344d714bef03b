/** Rows that an undo left as they are, because of what was changed since: both versions of each. */

import type { UndoConflict } from "@adiuva/client";
import type { Entry } from "@adiuva/client/database";
import { capitalized } from "../i18n/formats";
import { t } from "../i18n/translate";
import { TwoRows } from "../parts/TwoRows";
import type { TableName } from "../rpc/messages";
import { rowNamed } from "./words";

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
    <section className="question" aria-label={t("Changed since")} ref={show}>
      <p role="alert">
        {onRest === undefined
          ? t("This was left as it is, because of what was changed since.")
          : t("Nothing was undone, because of what was changed since.")}
      </p>
      {conflicts.map(({ table, id, now, would_be }) => (
        <div key={`${table} ${id}`} className="entry">
          <strong>{capitalized(rowNamed(table as TableName, now ?? would_be))}</strong>
          <TwoRows
            names={[t("As it is"), t("As it would be")]}
            nothing={[t("It is deleted."), t("It would be deleted.")]}
            one={now}
            other={would_be}
          />
        </div>
      ))}
      <div className="row">
        {onRest && hasOthers(of, conflicts) && (
          <button type="button" className="button" disabled={isBusy} onClick={onRest}>
            {t("Undo everything else")}
          </button>
        )}
        <button type="button" className="button" onClick={onClose}>
          {t("Keep it as it is")}
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
