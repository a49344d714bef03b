/** What an import or an export has, in words. Pure. */
import { listShown } from "../../i18n/formats";
import { msg, t } from "../../i18n/translate";
import type { Source } from "../../moving/plan";
import type { TableName } from "../../rpc/messages";

const COUNTS: Readonly<Record<TableName, string>> = {
  tasks: msg("{count, plural, one {# task} other {# tasks}}"),
  projects: msg("{count, plural, one {# project} other {# projects}}"),
  checkpoints: msg("{count, plural, one {# date} other {# dates}}"),
  notes: msg("{count, plural, one {# note} other {# notes}}"),
  taskComments: msg("{count, plural, one {# comment} other {# comments}}"),
  clients: msg("{count, plural, one {# client} other {# clients}}"),
};

export const KINDS: Readonly<Record<TableName, string>> = {
  tasks: msg("Task"),
  projects: msg("Project"),
  checkpoints: msg("Date"),
  notes: msg("Note"),
  taskComments: msg("Comment"),
  clients: msg("Client"),
};

const SOURCES: Readonly<Record<Source, string>> = {
  todoist: msg("Todoist"),
  notion: msg("Notion"),
  markdown: msg("Markdown files"),
  calendar: msg("a calendar"),
  csv: msg("tables of Adiuva"),
  copy: msg("a copy of Adiuva"),
};

/** `From Todoist and a calendar`. */
export function sourcesShown(sources: readonly Source[]): string {
  return t("From {sources}", { sources: listShown(sources.map((source) => t(SOURCES[source]))) });
}

/** `2 tasks, 1 project and 3 pictures`; empty for nothing. */
export function rowsShown(counts: Readonly<Record<TableName, number>>, pictures = 0): string {
  const rows = (Object.keys(COUNTS) as TableName[])
    .filter((table) => counts[table] > 0)
    .map((table) => t(COUNTS[table], { count: counts[table] }));
  const shown = pictures > 0 ? [t("{count, plural, one {# picture} other {# pictures}}", { count: pictures })] : [];
  return listShown([...rows, ...shown]);
}
