/** Test databases: in memory, with a manual clock and sequential ids. */
import sqlite3InitModule from "@sqlite.org/sqlite-wasm";
import BetterSqlite from "better-sqlite3";
import { drizzle } from "drizzle-orm/better-sqlite3";
import initSqlJs from "sql.js";
import {
  betterSqlite3,
  Database,
  drizzleSqlite,
  folded,
  type SqliteConnection,
  sqliteWasm,
  sqlJs,
  Tables,
} from "../../src/database/index.js";

/** A new, empty database for each supported SQLite library. */
export const CONNECTIONS: Readonly<Record<string, () => Promise<SqliteConnection>>> = {
  "better-sqlite3": async () => betterSqlite3(new BetterSqlite(":memory:")),
  "sqlite-wasm": async () => {
    const sqlite3 = await sqlite3InitModule();
    return sqliteWasm(new sqlite3.oo1.DB(":memory:"));
  },
  "sql.js": async () => {
    const { Database: SqlJsDatabase } = await initSqlJs();
    return sqlJs(new SqlJsDatabase());
  },
  drizzle: async () => {
    const opened = new BetterSqlite(":memory:");
    opened.function("folded", { deterministic: true }, (text) => folded(text as string | null));
    return drizzleSqlite(drizzle(opened), () => {
      opened.close();
    });
  },
};

export class SetClock {
  constructor(public time = 1000) {}

  now(): number {
    return this.time;
  }
}

/** UUIDs that count from 1. */
export function countedIds(): () => string {
  let made = 0;
  return () => {
    made += 1;
    return `00000000-0000-4000-8000-${String(made).padStart(12, "0")}`;
  };
}

export async function openTables(connection: SqliteConnection, clock = new SetClock()): Promise<Tables> {
  const newId = countedIds();
  return new Tables(await Database.open(connection, { newId }), { clock, newId });
}
