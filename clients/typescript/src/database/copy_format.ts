/** A copy of a user's data as a file: JSON with a name, a version, the moment it was made, and all rows. Pure. */
import { AdiuvaError, CallRefused, CopyRefused } from "../errors.js";
import {
  type Column,
  checked,
  checkedMoment,
  column,
  TABLE_NAMES,
  TABLES,
  type TableName,
} from "../executor/columns.js";
import { type Given, has, isObject, shown } from "../executor/values.js";
import type { ChatMessage, ChatSession } from "./history.js";
import type { RowOf } from "./tables.js";

const FORMAT = "adiuva-copy";
const VERSION = 1;

/** The tables in a copy: the user's tables and conversations, not the device's own. */
export const COPIED = [...TABLE_NAMES, "ai_chat_sessions", "ai_chat_messages"] as const;
export type CopiedTable = (typeof COPIED)[number];

/** The rows of each table, with the column names of `schema`. */
export interface CopiedRow extends RowOf {
  ai_chat_sessions: ChatSession;
  ai_chat_messages: ChatMessage;
}

export interface Copy {
  /** When its rows were read, in milliseconds since 1970. */
  readonly madeAt: number;
  /** In the order in which they were inserted. */
  readonly rows: { readonly [Table in CopiedTable]: readonly CopiedRow[Table][] };
}

/** Returns the value if the column may hold it. Throws `CallRefused`. */
type Check = (value: unknown) => unknown;
type Checks = Readonly<Record<string, Check>>;

const ID = ofColumn(column("id", { required: true }));
const MOMENT = { kind: "milliseconds", required: true } as const;
/** Never null, but possibly empty. */
const TEXT = { fallback: "" } as const;

const CHECKS: Readonly<Record<CopiedTable, Checks>> = {
  ...(Object.fromEntries(TABLE_NAMES.map((name) => [name, ofTable(name)])) as Record<TableName, Checks>),
  ai_chat_sessions: {
    id: ID,
    channel: ofColumn(column("channel", { required: true, choices: ["home", "contextual"] })),
    title: ofColumn(column("title", TEXT)),
    createdAt: ofColumn(column("createdAt", MOMENT)),
    updatedAt: ofColumn(column("updatedAt", MOMENT)),
    lastScope: optionalObject("lastScope"),
  },
  ai_chat_messages: {
    id: ID,
    sessionId: ofColumn(column("sessionId", { required: true })),
    role: ofColumn(column("role", { required: true, choices: ["user", "assistant", "system"] })),
    content: ofColumn(column("content", TEXT)),
    toolCalls: optionalObjects("toolCalls"),
    toolResults: optionalObjects("toolResults"),
    scope: optionalObject("scope"),
    createdAt: ofColumn(column("createdAt", MOMENT)),
  },
};

/** The file's text. */
export function writeCopy({ madeAt, rows }: Copy): string {
  return JSON.stringify({ format: FORMAT, version: VERSION, madeAt, rows });
}

/**
 * Parses a copy, if all of it can be stored. Throws `CopyRefused`.
 *
 * Each message's conversation must be in it. Other rows may refer to missing ones, as they may in the tables.
 */
export function readCopy(text: string): Copy {
  const file = parsed(text);
  if (!isObject(file) || file.format !== FORMAT) {
    throw new CopyRefused("This file is no copy of Adiuva’s data.");
  }
  if (typeof file.version === "number" && file.version > VERSION) {
    throw new CopyRefused(
      "This copy was made by a newer version of Adiuva. Restore it with that one, or bring this one up to date.",
    );
  }
  if (file.version !== VERSION) {
    throw broken(`there is no version ${shown(file.version)}.`);
  }
  try {
    return contentOf(file);
  } catch (error) {
    throw error instanceof AdiuvaError ? broken(error.message, error) : error;
  }
}

function broken(detail: string, cause?: unknown): CopyRefused {
  return new CopyRefused(`This copy is broken: ${detail}`, { detail, cause });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CopyRefused("This file is no copy of Adiuva’s data, or not all of one.", { cause: error });
  }
}

function contentOf(file: Given): Copy {
  const madeAt = checkedMoment("madeAt", file.madeAt);
  const given = isObject(file.rows) ? file.rows : {};
  for (const name of Object.keys(given)) {
    if (!has(CHECKS, name)) {
      throw new CallRefused(`there is no table ${shown(name)}.`);
    }
  }
  const rows = Object.fromEntries(COPIED.map((name) => [name, rowsOf(name, given[name])])) as unknown as Copy["rows"];
  allHaveTheirSession(rows);
  return { madeAt, rows };
}

function rowsOf(table: CopiedTable, given: unknown): Given[] {
  if (!Array.isArray(given)) {
    throw new CallRefused(`${table} must be a list of rows.`);
  }
  const ids = new Set<unknown>();
  return given.map((each: unknown, index) => {
    try {
      const row = rowOf(CHECKS[table], each);
      if (ids.has(row.id)) {
        throw new CallRefused("its id comes twice.");
      }
      ids.add(row.id);
      return row;
    } catch (error) {
      throw error instanceof CallRefused ? new CallRefused(`${table}, row ${index + 1}: ${error.message}`) : error;
    }
  });
}

function rowOf(checks: Checks, given: unknown): Given {
  if (!isObject(given)) {
    throw new CallRefused("it must be an object.");
  }
  for (const name of Object.keys(given)) {
    if (!has(checks, name)) {
      throw new CallRefused(`there is no column ${shown(name)}.`);
    }
  }
  const row: Record<string, unknown> = {};
  for (const [name, check] of Object.entries(checks)) {
    if (!has(given, name)) {
      throw new CallRefused(`${name} is missing.`);
    }
    row[name] = check(given[name]);
  }
  return row;
}

function allHaveTheirSession(rows: Copy["rows"]): void {
  const sessions = new Set(rows.ai_chat_sessions.map(({ id }) => id));
  const lost = rows.ai_chat_messages.findIndex(({ sessionId }) => !sessions.has(sessionId));
  if (lost !== -1) {
    throw new CallRefused(`ai_chat_messages, row ${lost + 1}: its conversation is missing.`);
  }
}

function ofTable(name: TableName): Checks {
  return Object.fromEntries(TABLES[name].map((each) => [each.name, ofColumn(each)]));
}

function ofColumn(of: Column): Check {
  return (value) => checked(of, value);
}

function optionalObject(name: string): Check {
  return (value) => {
    if (value !== null && !isObject(value)) {
      throw new CallRefused(`${name} must be an object or null, not ${shown(value)}.`);
    }
    return value;
  };
}

function optionalObjects(name: string): Check {
  return (value) => {
    if (value !== null && !(Array.isArray(value) && value.every(isObject))) {
      throw new CallRefused(`${name} must be a list of objects or null, not ${shown(value)}.`);
    }
    return value;
  };
}
