/**
 * Which rows of an import are here already. A row is, if there is one with its id, else if there is one that says the
 * same: what that is for each table is in `KEYS`. Two rows of the import never match one row that is here. Pure.
 */
import { REFERENCES } from "@adiuva/client";
import type { RowOf } from "@adiuva/client/database";
import { startOfDay } from "../parts/days";
import { foldedText } from "../parts/folding";
import type { TableName } from "../rpc/messages";
import { IMPORTED, type PlannedRows, type Rows } from "./plan";

export interface Matched {
  /** Those to write. They refer to rows that are here where the import's own were found here. */
  readonly rows: PlannedRows;
  /** How many are here already. */
  readonly known: Readonly<Record<TableName, number>>;
}

const KEYS: { readonly [Table in TableName]: (row: RowOf[Table]) => readonly unknown[] } = {
  clients: ({ name }) => [foldedText(name)],
  projects: ({ name }) => [foldedText(name)],
  tasks: ({ title, projectId, dueDate }) => [
    foldedText(title),
    projectId,
    dueDate === null ? null : startOfDay(dueDate),
  ],
  checkpoints: ({ title, projectId, date }) => [foldedText(title), projectId, startOfDay(date)],
  notes: ({ title, projectId, content }) => [foldedText(title), projectId, content.trim()],
  taskComments: ({ taskId, author, content }) => [taskId, author, content.trim()],
};

export function matched(planned: Rows, here: Rows): Matched {
  const rows: PlannedRows = { clients: [], projects: [], tasks: [], checkpoints: [], notes: [], taskComments: [] };
  /** The ids of rows that are here, by those of the import. */
  const ids = new Map<string, string>();
  const known = IMPORTED.map((table) => [table, matchTable(table, { planned, here, rows, ids })] as const);
  return { rows, known: Object.fromEntries(known) as Record<TableName, number> };
}

function matchTable<Table extends TableName>(
  table: Table,
  { planned, here, rows, ids }: { planned: Rows; here: Rows; rows: PlannedRows; ids: Map<string, string> },
): number {
  const keyOf = (row: RowOf[Table]) => JSON.stringify(KEYS[table](row));
  const given: readonly RowOf[Table][] = planned[table];
  const hereById = new Set(here[table].map(({ id }) => id));
  const taken = new Set(given.filter(({ id }) => hereById.has(id)).map(({ id }) => id));
  const free = new Map<string, string[]>();
  for (const row of here[table].filter(({ id }) => !taken.has(id))) {
    const key = keyOf(row);
    free.set(key, [...(free.get(key) ?? []), row.id]);
  }
  let count = 0;
  for (const row of given) {
    const referring = withReference(table, row, ids);
    const id = hereById.has(row.id) ? row.id : free.get(keyOf(referring))?.shift();
    if (id === undefined) {
      (rows[table] as RowOf[Table][]).push(referring);
    } else {
      ids.set(row.id, id);
      count += 1;
    }
  }
  return count;
}

function withReference<Row extends object>(table: TableName, row: Row, ids: ReadonlyMap<string, string>): Row {
  const { column } = REFERENCES[table];
  const id = ids.get((row as Readonly<Record<string, unknown>>)[column] as string);
  return id === undefined ? row : { ...row, [column]: id };
}
