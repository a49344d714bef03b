/** The user's tables: pages read and change them, and listeners hear of every change, also of the server's. */
import type { TableName } from "../executor/columns.js";
import type { Given } from "../executor/values.js";
import { type Clock, type IdMaker, newUuid, systemClock } from "../ports.js";
import { type OnFault, raiseLater, tell } from "../telling.js";
import type { Database, Orm } from "./database.js";
import { Rows } from "./rows.js";
import type * as schema from "./schema.js";

/** The rows of each table. */
export interface RowOf {
  tasks: typeof schema.tasks.$inferSelect;
  projects: typeof schema.projects.$inferSelect;
  checkpoints: typeof schema.checkpoints.$inferSelect;
  notes: typeof schema.notes.$inferSelect;
  taskComments: typeof schema.taskComments.$inferSelect;
  clients: typeof schema.clients.$inferSelect;
}

/** The columns that can be set: all but those that the device sets. Null clears; absent columns stay. */
export type Changes<Table extends TableName> = Partial<Omit<RowOf[Table], "id" | "createdAt" | "updatedAt">>;

/** A row that was changed and committed. */
export interface Change {
  readonly action: "insert" | "update" | "delete";
  readonly table: TableName;
  readonly id: string;
}

/** Every method is its own transaction. Throws `CallRefused` for values that the tables cannot hold. */
export class Tables {
  readonly database: Database;
  readonly clock: Pick<Clock, "now">;
  readonly #newId: IdMaker;
  readonly #onFault: OnFault;
  readonly #listeners = new Set<(change: Change) => void>();

  /** `onFault` gets errors of listeners. */
  constructor(
    database: Database,
    {
      clock = systemClock,
      newId = newUuid,
      onFault = raiseLater,
    }: { clock?: Pick<Clock, "now">; newId?: IdMaker; onFault?: OnFault } = {},
  ) {
    this.database = database;
    this.clock = clock;
    this.#newId = newId;
    this.#onFault = onFault;
  }

  /** Calls `listener` after each committed change; returns a function that unsubscribes it. */
  onChange(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** At most `limit` rows that match the `filters` of the protocol's `select`. */
  async select<T extends TableName>(table: T, filters: Given = {}, limit?: number): Promise<RowOf[T][]> {
    const rows = await this.database.snapshot((orm) => this.rows(orm).select(table, filters, limit));
    return rows as unknown as RowOf[T][];
  }

  async get<T extends TableName>(table: T, id: string): Promise<RowOf[T] | null> {
    const row = await this.database.snapshot((orm) => this.rows(orm).get(table, id));
    return row as unknown as RowOf[T] | null;
  }

  /** The new row, with its id, its times and its defaults. */
  async insert<T extends TableName>(table: T, given: Changes<T>): Promise<RowOf[T]> {
    const row = await this.database.transaction((orm) => this.rows(orm).insert(table, given as Given));
    this.tell({ action: "insert", table, id: String(row.id) });
    return row as unknown as RowOf[T];
  }

  /** The updated row; null if there is none. */
  async update<T extends TableName>(table: T, id: string, updates: Changes<T>): Promise<RowOf[T] | null> {
    const row = await this.database.transaction((orm) => this.rows(orm).update(table, id, updates as Given));
    if (row !== null) {
      this.tell({ action: "update", table, id });
    }
    return row as unknown as RowOf[T] | null;
  }

  /** Whether there was such a row. */
  async delete(table: TableName, id: string): Promise<boolean> {
    const existed = await this.database.transaction((orm) => this.rows(orm).delete(table, id));
    if (existed) {
      this.tell({ action: "delete", table, id });
    }
    return existed;
  }

  /** The rows in a transaction of the database. The caller reports the changes to listeners. */
  rows(orm: Orm): Rows {
    return new Rows(orm, this.clock, this.#newId);
  }

  tell(change: Change): void {
    tell(this.#listeners, change, this.#onFault);
  }
}
