/** Describes a copy's content. */

import type { CopiedTable, CopySummary } from "@adiuva/client/database";
import { listShown, uncapitalized } from "../../i18n/formats";
import { t } from "../../i18n/translate";
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
  return listShown([
    ...rows,
    ...(pictures > 0 ? [t("{count, plural, one {# picture} other {# pictures}}", { count: pictures })] : []),
  ]);
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
