/** SQLite as this package uses it, with adapters for the libraries that provide it. None of them is imported. */
import { folded } from "../executor/folding.js";

export type SqlValue = string | number | null | Uint8Array;

/**
 * One connection to a database. It has the SQL function `folded` (see `folding.ts`), which its opener registers.
 *
 * A connection in a worker answers with promises; statements are sent one at a time.
 */
export interface SqliteConnection {
  /** The rows of one statement, each as a list of its columns' values. */
  run(sql: string, parameters: readonly SqlValue[]): SqlValue[][] | Promise<SqlValue[][]>;
  close(): void | Promise<void>;
}

interface BetterStatement {
  readonly reader: boolean;
  raw(): unknown;
  all(...parameters: unknown[]): unknown[];
  run(...parameters: unknown[]): unknown;
}

/** The part of better-sqlite3's `Database` that is used here. */
export interface BetterSqlite3 {
  prepare(sql: string): BetterStatement;
  pragma(text: string): unknown;
  function(name: string, options: { deterministic: boolean }, act: (text: string | null) => string | null): unknown;
  close(): unknown;
}

/** better-sqlite3, in Node and in Electron's main process. */
export function betterSqlite3(database: BetterSqlite3): SqliteConnection {
  database.pragma("journal_mode = WAL");
  database.function("folded", { deterministic: true }, folded);
  return {
    run(sql, parameters) {
      const statement = database.prepare(sql);
      if (!statement.reader) {
        statement.run(...parameters);
        return [];
      }
      statement.raw();
      return statement.all(...parameters) as SqlValue[][];
    },
    close() {
      database.close();
    },
  };
}

/** The part of @sqlite.org/sqlite-wasm's `DB` (its `oo1` interface) that is used here. */
export interface SqliteWasm {
  exec(options: { sql: string; bind?: SqlValue[]; rowMode: "array"; returnValue: "resultRows" }): unknown;
  createFunction(name: string, act: (context: number, ...values: unknown[]) => string | null): unknown;
  close(): void;
}

/** SQLite's own WebAssembly, in a worker with a file in OPFS. */
export function sqliteWasm(database: SqliteWasm): SqliteConnection {
  // It counts the parameters to learn how many the SQL function takes.
  database.createFunction("folded", (_context, text) => folded(text as string | null));
  return {
    run(sql, parameters) {
      const bound = parameters.length > 0 ? { bind: [...parameters] } : {};
      return database.exec({ sql, ...bound, rowMode: "array", returnValue: "resultRows" }) as SqlValue[][];
    },
    close() {
      database.close();
    },
  };
}
