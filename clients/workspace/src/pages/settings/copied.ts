/** Describes a copy's content. */

import type { CopiedTable, CopySummary } from "@adiuva/client/database";
import { listShown, uncapitalized } from "../../i18n/formats";
import { t } from "../../i18n/translate";
import { dayField, momentShown } from "../../parts/dates";
import { countOf, TABLES } from "../../parts/words";

/** Messages are counted with their conversations. */
const COUNTED: readonly CopiedTable[] = [...TABLES.map(([table]) => table), "ai_chat_sessions"];

/** The name of a new file. */
export function fileName(now = Date.now()): string {
  return `adiuva-${dayField(now)}.json`;
}

export function isEmpty(summary: CopySummary): boolean {
  return total(summary, "rows") === 0;
}

/** `2 tasks, 1 project and 1 conversation`. */
export function contentShown({ counts }: CopySummary): string {
  return listShown(
    COUNTED.filter((table) => counts[table].rows > 0).map((table) => countOf(table, counts[table].rows)),
  );
}

/** `made today, 14:05`. */
export function madeShown({ madeAt }: CopySummary): string {
  return t("made {when}", { when: uncapitalized(momentShown(madeAt)) });
}

/** What happens to the existing rows. */
export function replacedShown(summary: CopySummary): string {
  const replaced = total(summary, "replaced");
  if (replaced === 0) {
    return t("None of it is here yet. Existing data is kept.");
  }
  return replaced === total(summary, "rows")
    ? t(
        "{count, plural, one {It is here already and would be replaced.} other {All of them are here already and would be replaced.}} Other data is kept.",
        { count: replaced },
      )
    : t(
        "{count, plural, one {# of them is here already and would be replaced.} other {# of them are here already and would be replaced.}} Other data is kept.",
        { count: replaced },
      );
}

function total({ counts }: CopySummary, what: "rows" | "replaced"): number {
  return COUNTED.reduce((sum, table) => sum + counts[table][what], 0);
}
