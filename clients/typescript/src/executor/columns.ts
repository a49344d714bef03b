/** The client's tables, as the protocol lists them: their columns, and the values of each. Pure. */
import { CallRefused } from "../errors.js";
import { type Given, has, type Row, shown, type Value, validText } from "./values.js";

export const TABLE_NAMES = ["tasks", "projects", "checkpoints", "notes", "taskComments", "clients"] as const;
export type TableName = (typeof TABLE_NAMES)[number];

export type Kind = "text" | "names" | "milliseconds" | "flag";

/** `required`: never null nor empty; `fallback`: the default of an insert, and then never null. */
export interface Column {
  readonly name: string;
  readonly kind: Kind;
  readonly required: boolean;
  readonly fallback: string | number | null;
  readonly choices: readonly string[];
  /** Only the device itself sets it. */
  readonly madeHere: boolean;
}

const DESCRIPTIONS: Readonly<Record<Kind, string>> = {
  text: "text",
  names: "a JSON array of names, as a string",
  milliseconds: "a whole number of milliseconds",
  flag: "0 or 1",
};

/** A column that may be null, unless `given` says otherwise. */
export function column(name: string, given: Partial<Omit<Column, "name">> = {}): Column {
  return { name, kind: "text", required: false, fallback: null, choices: [], madeHere: false, ...given };
}

const ID = column("id", { required: true, madeHere: true });
const CREATED = column("createdAt", { kind: "milliseconds", required: true, madeHere: true });
const UPDATED = column("updatedAt", { kind: "milliseconds", required: true, madeHere: true });
const TITLE = column("title", { required: true });
const NAME = column("name", { required: true });
const PROJECT = column("projectId");
const SUGGESTED = column("isAiSuggested", { kind: "flag", fallback: 0 });
const APPROVED = column("isApproved", { kind: "flag", fallback: 1 });

export const TABLES: Readonly<Record<TableName, readonly Column[]>> = {
  tasks: [
    ID,
    PROJECT,
    TITLE,
    column("description"),
    column("status", { fallback: "todo", choices: ["todo", "in_progress", "done"] }),
    column("priority", { fallback: "medium", choices: ["high", "medium", "low"] }),
    column("assignee", { kind: "names" }),
    column("dueDate", { kind: "milliseconds" }),
    SUGGESTED,
    APPROVED,
    CREATED,
  ],
  projects: [
    ID,
    column("clientId"),
    NAME,
    column("status", { fallback: "active", choices: ["active", "archived"] }),
    column("aiSummary"),
    CREATED,
  ],
  checkpoints: [
    ID,
    column("projectId", { required: true }),
    TITLE,
    column("date", { kind: "milliseconds", required: true }),
    SUGGESTED,
    APPROVED,
    CREATED,
  ],
  notes: [ID, PROJECT, TITLE, column("content", { fallback: "" }), CREATED, UPDATED],
  taskComments: [
    ID,
    column("taskId", { required: true }),
    column("author", { required: true }),
    column("content", { required: true }),
    CREATED,
  ],
  clients: [ID, column("parentId"), NAME, column("industry"), CREATED],
};

/** The column `name` of `table`. Throws `CallRefused` when there is none. */
export function columnOf(table: TableName, name: string): Column {
  const found = TABLES[table].find((each) => each.name === name);
  if (found === undefined) {
    throw new CallRefused(`${table} has no column ${shown(name)}.`);
  }
  return found;
}

export function hasColumn(table: TableName, name: string): boolean {
  return TABLES[table].some((each) => each.name === name);
}

/** `value`, if the column may hold it. Throws `CallRefused`. */
export function checked(of: Column, value: unknown): Value {
  if (value === null || value === undefined) {
    if (of.required || of.fallback !== null) {
      throw new CallRefused(`${of.name} must not be null.`);
    }
    return null;
  }
  return of.kind === "milliseconds" || of.kind === "flag" ? checkedNumber(of, value) : checkedText(of, value);
}

/** A whole number that JavaScript holds exactly. Throws `CallRefused`. */
export function checkedMoment(name: string, value: unknown): number {
  return checkedNumber(column(name, { kind: "milliseconds" }), value);
}

function checkedNumber(of: Column, value: unknown): number {
  const fits = typeof value === "number" && Number.isSafeInteger(value);
  if (!fits || (of.kind === "flag" && value !== 0 && value !== 1)) {
    throw new CallRefused(`${of.name} must be ${DESCRIPTIONS[of.kind]}, not ${shown(value)}.`);
  }
  return value;
}

function checkedText(of: Column, value: unknown): string {
  const text = validText(value, of.name);
  if (of.choices.length > 0 && !of.choices.includes(text)) {
    throw new CallRefused(`${of.name} must be one of ${of.choices.join(", ")}, not ${shown(value)}.`);
  }
  if (of.required && text.trim() === "") {
    throw new CallRefused(`${of.name} must not be empty.`);
  }
  if (of.kind === "names" && !isListOfNames(text)) {
    throw new CallRefused(`${of.name} must be ${DESCRIPTIONS.names}, not ${shown(value)}.`);
  }
  return text;
}

function isListOfNames(text: string): boolean {
  try {
    const names: unknown = JSON.parse(text);
    return Array.isArray(names) && names.every((name) => typeof name === "string");
  } catch {
    return false;
  }
}

/** All columns of a new row except the device's: given values, defaults and nulls. Throws `CallRefused`. */
export function checkedInsert(table: TableName, given: Given): Row {
  onlySettable(table, given);
  const row: Row = {};
  for (const each of TABLES[table]) {
    if (!each.madeHere) {
      row[each.name] = has(given, each.name) ? checked(each, given[each.name]) : absent(table, each);
    }
  }
  return row;
}

/** The columns that change. Throws `CallRefused`, also when there are none. */
export function checkedUpdates(table: TableName, given: Given): Row {
  onlySettable(table, given);
  const row: Row = {};
  for (const [name, value] of Object.entries(given)) {
    row[name] = checked(columnOf(table, name), value);
  }
  if (Object.keys(row).length === 0) {
    throw new CallRefused("updates must name at least one column.");
  }
  return row;
}

function onlySettable(table: TableName, given: Given): void {
  for (const name of Object.keys(given)) {
    if (columnOf(table, name).madeHere) {
      throw new CallRefused(`${name} is made by the device and cannot be given.`);
    }
  }
}

function absent(table: TableName, of: Column): Value {
  if (of.required) {
    throw new CallRefused(`${table} need a ${of.name}.`);
  }
  return of.fallback;
}
