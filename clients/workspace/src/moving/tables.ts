/** Rows as CSV files, one for each table, with all their columns. Pure. */
import type { RowOf } from "@adiuva/client/database";
import { writeCopy } from "@adiuva/client/database";
import type { TableName } from "../rpc/messages";
import { copyOf } from "../store/copies";
import { type Csv, unescaped, writeCsv } from "./csv";
import { stemOf } from "./files";
import { IMPORTED, type Rows } from "./plan";
import { isoMoment } from "./said";
import { isoOf } from "./task_lists";

const COLUMNS: { readonly [Table in TableName]: readonly (keyof RowOf[Table] & string)[] } = {
  clients: ["id", "name", "industry", "parentId", "createdAt"],
  projects: ["id", "name", "status", "clientId", "aiSummary", "createdAt"],
  tasks: [
    "id",
    "title",
    "description",
    "projectId",
    "status",
    "priority",
    "assignee",
    "dueDate",
    "isAiSuggested",
    "isApproved",
    "createdAt",
  ],
  checkpoints: ["id", "title", "projectId", "date", "isAiSuggested", "isApproved", "createdAt"],
  notes: ["id", "title", "content", "projectId", "createdAt", "updatedAt"],
  taskComments: ["id", "taskId", "author", "content", "createdAt"],
};

const MOMENTS = new Set(["createdAt", "updatedAt", "dueDate", "date"]);
const NUMBERS = new Set(["isAiSuggested", "isApproved"]);
/** Empty, not missing. */
const NEVER_NULL = new Set(["notes content"]);

/** By the names of their files. */
export function writeTables(rows: Rows): Map<string, string> {
  return new Map(IMPORTED.map((table) => [`${table}.csv`, writeTable(table, rows[table])]));
}

function writeTable<Table extends TableName>(table: Table, rows: readonly RowOf[Table][]): string {
  const columns: readonly (keyof RowOf[Table] & string)[] = COLUMNS[table];
  const values = rows.map((row) =>
    columns.map((name) => {
      const value = row[name] as string | number | null;
      return MOMENTS.has(name) && typeof value === "number" ? isoOf(value) : value;
    }),
  );
  return writeCsv(columns, values);
}

/** The table of a file that `writeTables` wrote; undefined for others. */
export function tableOfFile(path: string, { columns }: Csv): TableName | undefined {
  return IMPORTED.find((table) => table === stemOf(path) && COLUMNS[table].every((name) => columns.includes(name)));
}

/** Throws `UserError` and `CopyRefused` for rows that cannot be stored. */
export function readTables(tables: ReadonlyMap<TableName, Csv>): Rows {
  const read = IMPORTED.map((table) => [table, (tables.get(table)?.rows ?? []).map((row) => rowOf(table, row))]);
  const rows = { ...Object.fromEntries(read), ai_chat_sessions: [], ai_chat_messages: [] };
  // What a copy may hold, a table may hold.
  return copyOf(writeCopy({ madeAt: 0, rows })).rows as Rows;
}

function rowOf(table: TableName, row: Readonly<Record<string, string>>): Record<string, unknown> {
  return Object.fromEntries(COLUMNS[table].map((name) => [name, cellOf(table, name, unescaped(row[name] ?? ""))]));
}

function cellOf(table: TableName, name: string, text: string): unknown {
  if (text === "" && !NEVER_NULL.has(`${table} ${name}`)) {
    return null;
  }
  if (MOMENTS.has(name)) {
    return isoMoment(text) ?? text;
  }
  return NUMBERS.has(name) ? Number(text) : text;
}
