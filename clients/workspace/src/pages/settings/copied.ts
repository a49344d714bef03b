/** Describes a copy's content. Pure. */
import type { CopiedTable, CopySummary } from "@adiuva/client/database";
import { listShown } from "../../i18n/formats";
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
  const moment = momentShown(madeAt);
  return `made ${moment.charAt(0).toLowerCase()}${moment.slice(1)}`;
}

/** What happens to the existing rows. */
export function replacedShown(summary: CopySummary): string {
  const replaced = total(summary, "replaced");
  if (replaced === 0) {
    return "None of it is here yet. Existing data is kept.";
  }
  const isAll = replaced === total(summary, "rows");
  const [subject, verb] = replaced === 1 ? ["1 of them", "is"] : [`${isAll ? "All" : replaced} of them`, "are"];
  return `${isAll && replaced === 1 ? "It" : subject} ${verb} here already and would be replaced. Other data is kept.`;
}

function total({ counts }: CopySummary, what: "rows" | "replaced"): number {
  return COUNTED.reduce((sum, table) => sum + counts[table][what], 0);
}
