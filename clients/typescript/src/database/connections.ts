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
  /** Called once the database is known to be one of this package: before, nothing of the file is changed. */
  accepted?(): void | Promise<void>;
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
  database.function("folded", { deterministic: true }, folded);
  return {
    accepted() {
      database.pragma("journal_mode = WAL");
    },
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

interface NodeStatement {
  all(...parameters: SqlValue[]): unknown[];
  setReturnArrays(enabled: boolean): void;
}

/** The part of node:sqlite's `DatabaseSync` that is used here. It needs Node 22.16 or newer. */
export interface NodeSqlite {
  exec(sql: string): void;
  prepare(sql: string): NodeStatement;
  function(name: string, options: { deterministic: boolean }, act: (text: string | null) => string | null): void;
  close(): void;
}

/** node:sqlite, which is a part of Node. */
export function nodeSqlite(database: NodeSqlite): SqliteConnection {
  database.function("folded", { deterministic: true }, (text) => folded(text));
  return {
    accepted() {
      database.exec("PRAGMA journal_mode = WAL");
    },
    run(sql, parameters) {
      const statement = database.prepare(sql);
      statement.setReturnArrays(true);
      return statement.all(...parameters) as SqlValue[][];
    },
    close() {
      database.close();
    },
  };
}

interface SqlJsStatement {
  bind(parameters: SqlValue[]): boolean;
  step(): boolean;
  get(): unknown[];
  free(): boolean;
}

/** The part of sql.js's `Database` that is used here. */
export interface SqlJs {
  prepare(sql: string): SqlJsStatement;
  create_function(name: string, act: (text: string | null) => string | null): unknown;
  close(): void;
}

/** sql.js: SQLite in memory. Its `export` forgets SQL functions: open what it returns anew. */
export function sqlJs(database: SqlJs): SqliteConnection {
  // It counts the parameters to learn how many the SQL function takes.
  database.create_function("folded", (text) => folded(text));
  return {
    run(sql, parameters) {
      const statement = database.prepare(sql);
      try {
        statement.bind([...parameters]);
        const rows: SqlValue[][] = [];
        while (statement.step()) {
          rows.push(statement.get() as SqlValue[]);
        }
        return rows;
      } finally {
        statement.free();
      }
    },
    close() {
      database.close();
    },
  };
}
