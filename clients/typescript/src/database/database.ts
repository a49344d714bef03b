/** The device's database: one connection, used by one caller at a time, with Drizzle on top. */
import { drizzle, type SqliteRemoteDatabase } from "drizzle-orm/sqlite-proxy";
import { AdiuvaError, DatabaseFailed, DatabaseUnusable } from "../errors.js";
import { newUuid } from "../ports.js";
import type { SqliteConnection, SqlValue } from "./connections.js";
import { APPLICATION_ID, MIGRATIONS } from "./migrations.js";
import * as schema from "./schema.js";

/** Drizzle over this database, or over its open transaction. */
export type Orm = SqliteRemoteDatabase<typeof schema>;

export class Database {
  /**
   * Each statement waits until the open transaction is over; inside one, use the argument of `transaction` instead.
   * Failures raise Drizzle's own error, which quotes user text.
   */
  readonly orm: Orm;
  readonly #connection: SqliteConnection;
  readonly #queue: Queue;
  readonly #inside: Orm;
  #deviceId: string;

  private constructor(connection: SqliteConnection, queue: Queue, deviceId: string) {
    this.#connection = connection;
    this.#queue = queue;
    this.#deviceId = deviceId;
    this.#inside = ormOver(connection, (act) => act());
    this.orm = ormOver(connection, (act) => queue.next(act));
  }

  /** Opens a database; creates it if there is none, and migrates an older one. Throws `DatabaseUnusable`. */
  static async open(connection: SqliteConnection, { newId = newUuid } = {}): Promise<Database> {
    try {
      await run(connection, "SELECT folded('A')");
      await atomically(connection, "IMMEDIATE", () => migrate(connection, newId()));
      await connection.accepted?.();
      const [row] = await run(connection, "SELECT id FROM _device");
      return new Database(connection, new Queue(), String(row?.[0]));
    } catch (error) {
      throw new DatabaseUnusable(`The database cannot be used: ${messageOf(error)}.`, { cause: error });
    }
  }

  /** This device's id at the server. */
  get deviceId(): string {
    return this.#deviceId;
  }

  /**
   * Takes and returns a new id: the server never accepts the id of a removed device again, not even if its
   * user signs in again. Call it before creating a client with the id.
   */
  async renewDeviceId({ newId = newUuid } = {}): Promise<string> {
    const id = newId();
    await this.#queue.next(() => run(this.#connection, "UPDATE _device SET id = ?", [id]));
    this.#deviceId = id;
    return id;
  }

  /** Runs all of `work` or nothing, without other statements in between. It cannot be nested. */
  async transaction<T>(work: (orm: Orm) => Promise<T>): Promise<T> {
    return await this.#queue.next(() => atomically(this.#connection, "IMMEDIATE", () => work(this.#inside)));
  }

  /** Like `transaction`, for work that only reads. */
  async snapshot<T>(work: (orm: Orm) => Promise<T>): Promise<T> {
    return await this.#queue.next(() => atomically(this.#connection, "DEFERRED", () => work(this.#inside)));
  }

  /** Removes all traces of deleted rows from the file. It takes as long as writing the rest again. */
  async compact(): Promise<void> {
    await this.#queue.next(async () => {
      await run(this.#connection, "VACUUM");
      await run(this.#connection, "PRAGMA wal_checkpoint(TRUNCATE)");
    });
  }

  async close(): Promise<void> {
    await this.#queue.next(async () => await this.#connection.close());
  }
}

/** Drizzle wraps a statement's failure in an error that quotes its parameters, which are user text. */
function causeOf(error: unknown): unknown {
  const isWrapped = error instanceof Error && !(error instanceof AdiuvaError) && error.cause instanceof AdiuvaError;
  return isWrapped ? error.cause : error;
}

/** Runs tasks one at a time, in order. */
class Queue {
  #last: Promise<unknown> = Promise.resolve();

  next<T>(act: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(act);
    this.#last = mine.catch(() => undefined);
    return mine;
  }
}

type InTurn = <T>(act: () => Promise<T>) => Promise<T>;

function ormOver(connection: SqliteConnection, inTurn: InTurn): Orm {
  return drizzle(
    async (sql, parameters, method) => {
      const rows = await inTurn(() => run(connection, sql, parameters as SqlValue[]));
      // For `get` Drizzle expects the row itself, or undefined, which its types lack.
      return { rows: method === "get" ? (rows[0] as SqlValue[]) : rows };
    },
    { schema },
  );
}

async function run(connection: SqliteConnection, sql: string, parameters: readonly SqlValue[] = []) {
  try {
    return await connection.run(sql, parameters);
  } catch (error) {
    throw new DatabaseFailed(messageOf(error), { cause: error });
  }
}

async function atomically<T>(connection: SqliteConnection, kind: string, work: () => Promise<T>): Promise<T> {
  await run(connection, `BEGIN ${kind}`);
  try {
    const result = await work();
    await run(connection, "COMMIT");
    return result;
  } catch (error) {
    // SQLite may already have rolled back, as when the disk is full.
    await run(connection, "ROLLBACK").catch(() => undefined);
    throw causeOf(error);
  }
}

async function migrate(connection: SqliteConnection, newDeviceId: string): Promise<void> {
  const version = await numberOf(connection, "PRAGMA user_version");
  if (version === 0) {
    await claim(connection);
  } else if ((await numberOf(connection, "PRAGMA application_id")) !== APPLICATION_ID || version > MIGRATIONS.length) {
    throw new DatabaseFailed("it belongs to another program or a newer version of this one");
  }
  for (const statement of MIGRATIONS.slice(version).flat()) {
    await run(connection, statement);
  }
  await run(connection, `PRAGMA user_version = ${MIGRATIONS.length}`);
  if (version === 0) {
    await run(connection, "INSERT INTO _device (id) VALUES (?)", [newDeviceId]);
  }
}

async function claim(connection: SqliteConnection): Promise<void> {
  if ((await numberOf(connection, "SELECT count(*) FROM sqlite_master")) !== 0) {
    throw new DatabaseFailed("it belongs to another program");
  }
  await run(connection, `PRAGMA application_id = ${APPLICATION_ID}`);
}

async function numberOf(connection: SqliteConnection, sql: string): Promise<number> {
  const [row] = await run(connection, sql);
  return Number(row?.[0]);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
