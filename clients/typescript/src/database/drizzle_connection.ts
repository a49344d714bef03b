/** A database that the program has already opened with Drizzle, with any of its drivers. */
import { type SQL, sql } from "drizzle-orm";
import type { SqliteConnection, SqlValue } from "./connections.js";

/** The part of a Drizzle database for SQLite that is used here. */
export interface DrizzleDatabase {
  run(query: SQL): unknown;
  values(query: SQL): unknown;
}

const RETURNS_ROWS = /^\s*(?:SELECT|WITH|EXPLAIN|PRAGMA(?![^(]*=))|\bRETURNING\b/i;

/**
 * A connection over `orm`, one of drizzle-orm/better-sqlite3, /libsql and the like. Register the SQL function
 * `folded` with the driver first, and give the tables of this package a file of their own.
 *
 * `close` closes the driver's database, which Drizzle does not.
 */
export function drizzleSqlite(orm: DrizzleDatabase, close: () => void | Promise<void>): SqliteConnection {
  return {
    async run(text, parameters) {
      const query = queryOf(text, parameters);
      if (RETURNS_ROWS.test(text)) {
        return (await orm.values(query)) as SqlValue[][];
      }
      await orm.run(query);
      return [];
    },
    close,
  };
}

function queryOf(text: string, parameters: readonly SqlValue[]): SQL {
  if (parameters.length === 0) {
    return sql.raw(text);
  }
  const parts = text.split("?");
  if (parts.length !== parameters.length + 1) {
    throw new Error("a statement has other question marks than its parameters");
  }
  return sql.join(
    parts.flatMap((part, at) => (at === 0 ? [sql.raw(part)] : [sql.param(parameters[at - 1]), sql.raw(part)])),
  );
}
