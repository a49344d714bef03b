/** What a copy holds, in words. Pure. */
import type { CopiedTable, CopySummary } from "@adiuva/client/database";
import { dayField, momentShown } from "../../parts/dates";
import { countOf, TABLES } from "../../parts/words";

// Made once: to make one takes far longer than to use it.
const LIST = new Intl.ListFormat("en-GB");
/** Messages go with their conversations. */
const COUNTED: readonly CopiedTable[] = [...TABLES.map(([table]) => table), "ai_chat_sessions"];

/** The name of a file that is made now. */
export function fileName(now = Date.now()): string {
  return `adiuva-${dayField(now)}.json`;
}

export function isEmpty(summary: CopySummary): boolean {
  return total(summary, "rows") === 0;
}

/** `2 tasks, 1 project and 1 conversation`. */
export function contentShown({ counts }: CopySummary): string {
  return LIST.format(
    COUNTED.filter((table) => counts[table].rows > 0).map((table) => countOf(table, counts[table].rows)),
  );
}

/** `made today, 14:05`. */
export function madeShown({ madeAt }: CopySummary): string {
  const moment = momentShown(madeAt);
  return `made ${moment.charAt(0).toLowerCase()}${moment.slice(1)}`;
}

/** What becomes of what lies here already. */
export function replacedShown(summary: CopySummary): string {
  const replaced = total(summary, "replaced");
  if (replaced === 0) {
    return "None of it is here yet. What lies here stays.";
  }
  const isAll = replaced === total(summary, "rows");
  const [subject, verb] = replaced === 1 ? ["1 of them", "is"] : [`${isAll ? "All" : replaced} of them`, "are"];
  return `${isAll && replaced === 1 ? "It" : subject} ${verb} here already and would be replaced. What else lies here stays.`;
}

function total({ counts }: CopySummary, what: "rows" | "replaced"): number {
  return COUNTED.reduce((sum, table) => sum + counts[table][what], 0);
}
