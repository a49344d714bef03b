/**
 * Filters of `select` as conditions of Drizzle. Pure.
 *
 * Archived projects are left out unless `includeArchived` is true or `status` asks for them. The order is `orderBy`,
 * then the oldest first; columns with a closed list of values sort in the order of that list, text regardless of case,
 * and rows without a value come last.
 */
import { eq, gte, lte, ne, or, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { CallRefused } from "../errors.js";
import { type Column, checked, checkedMoment, columnOf, hasColumn, type TableName } from "../executor/columns.js";
import { fold } from "../executor/folding.js";
import { type Given, has, shown, validText } from "../executor/values.js";

export const SELECT_LIMIT = 500;

type Columns = Readonly<Record<string, SQLiteColumn>>;

const SEARCHED = ["title", "name", "description", "content"];
const DATES: Partial<Record<TableName, string>> = { tasks: "dueDate", checkpoints: "date" };

/** Throws `CallRefused` for invalid filters. */
export function conditionsOf(table: TableName, columns: Columns, filters: Given): SQL[] {
  const given = Object.entries(filters).map(([name, value]) => condition(table, columns, name, value));
  if (table === "projects" && filters.includeArchived !== true && !has(filters, "status")) {
    given.push(ne(in_(columns, "status"), "archived"));
  }
  return given.filter((each) => each !== undefined);
}

/** The order in `orderBy`; undefined without it. Throws `CallRefused`. */
export function orderOf(table: TableName, columns: Columns, filters: Given): SQL[] {
  if (!has(filters, "orderBy")) {
    return [];
  }
  const name = validText(filters.orderBy, "orderBy");
  const by = columnOf(table, name.replace(/^-/, ""));
  const direction = name.startsWith("-") ? sql`DESC NULLS LAST` : sql`ASC NULLS LAST`;
  return [sql`${sortable(by, in_(columns, by.name))} ${direction}`];
}

function condition(table: TableName, columns: Columns, name: string, value: unknown): SQL | undefined {
  switch (name) {
    case "projectId":
    case "clientId":
    case "taskId":
    case "status":
      return same(table, columns, name, value);
    case "dueDateFrom":
      return gte(dated(table, columns, name), checkedMoment(name, value));
    case "dueDateTo":
      return lte(dated(table, columns, name), checkedMoment(name, value));
    case "search":
      return search(table, columns, value);
    case "includeArchived":
      if (typeof value !== "boolean") {
        throw new CallRefused(`includeArchived must be true or false, not ${shown(value)}.`);
      }
      return undefined;
    case "orderBy":
      return undefined;
    default:
      throw new CallRefused(`There is no filter ${shown(name)}.`);
  }
}

function same(table: TableName, columns: Columns, name: string, value: unknown): SQL {
  if (!hasColumn(table, name)) {
    throw new CallRefused(`${table} cannot be filtered by ${name}.`);
  }
  const text = validText(value, name);
  const of = columnOf(table, name);
  if (of.choices.length > 0) {
    checked(of, text);
  }
  return eq(in_(columns, name), text);
}

function dated(table: TableName, columns: Columns, name: string): SQLiteColumn {
  const date = DATES[table];
  if (date === undefined) {
    throw new CallRefused(`${table} cannot be filtered by ${name}.`);
  }
  return in_(columns, date);
}

function search(table: TableName, columns: Columns, value: unknown): SQL {
  const searched = SEARCHED.filter((name) => hasColumn(table, name));
  const words = fold(validText(value, "search"))
    .split(/\s+/u)
    .filter((word) => word !== "");
  const texts = searched.map((name) => sql`folded(${in_(columns, name)}) AS ${sql.identifier(name)}`);
  const found = or(...searched.map((name) => sql`instr(texts.${sql.identifier(name)}, word.value) > 0`));
  // A condition for each word would be too deep for SQLite from a thousand words on. LIMIT keeps SQLite from folding
  // the texts again for each word.
  return sql`NOT EXISTS (
    SELECT 1 FROM (SELECT ${sql.join(texts, sql`, `)} LIMIT 1) AS texts, json_each(${JSON.stringify(words)}) AS word
    WHERE (${found}) IS NOT TRUE
  )`;
}

function sortable(by: Column, column: SQLiteColumn): SQL {
  if (by.choices.length > 0) {
    const ranks = by.choices.map((choice, rank) => sql`WHEN ${choice} THEN ${rank}`);
    return sql`CASE ${column} ${sql.join(ranks, sql` `)} END`;
  }
  return by.kind === "text" ? sql`folded(${column})` : sql`${column}`;
}

function in_(columns: Columns, name: string): SQLiteColumn {
  const found = columns[name];
  if (found === undefined) {
    throw new Error(`The schema lacks the column ${name}.`);
  }
  return found;
}
