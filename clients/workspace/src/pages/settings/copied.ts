/** Describes a copy's content. Pure. */
import type { CopiedTable, CopySummary } from "@adiuva/client/database";
import { listShown } from "../../i18n/formats";
import { counted } from "../../parts/counted";
import { dayField, momentShown } from "../../parts/dates";
import { countOf, TABLES } from "../../parts/words";
import type { CopyContent } from "../../rpc/messages";

/** Messages are counted with their conversations. */
const COUNTED: readonly CopiedTable[] = [...TABLES.map(([table]) => table), "ai_chat_sessions"];

/** The name of a new file: a zip file if it has pictures. */
export function fileName({ type }: Pick<Blob, "type">, now = Date.now()): string {
  return `adiuva-${dayField(now)}.${type === "application/zip" ? "zip" : "json"}`;
}

export function isEmpty(summary: CopySummary): boolean {
  return total(summary, "rows") === 0;
}

/** `2 tasks, 1 project, 1 conversation and 3 pictures`. */
export function contentShown({ counts, pictures }: CopyContent): string {
  const rows = COUNTED.filter((table) => counts[table].rows > 0).map((table) => countOf(table, counts[table].rows));
  return listShown([...rows, ...(pictures > 0 ? [counted(pictures, "picture")] : [])]);
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
