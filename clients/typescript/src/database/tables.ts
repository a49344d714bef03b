/** The user's tables: pages read and change them, and listeners hear of every change, also of the server's. */
import type { TableName } from "../executor/columns.js";
import type { Undone, UndoWhat } from "../executor/executor.js";
import type { Given } from "../executor/values.js";
import { type Clock, type IdMaker, newUuid, systemClock } from "../ports.js";
import { type OnFault, raiseLater, tell } from "../telling.js";
import type { Database, Orm } from "./database.js";
import { changesRow, Draft, entriesWhere, IS_IN_EFFECT, Journal } from "./journal.js";
import type { Entry, RowChange } from "./journal_entries.js";
import { Rows } from "./rows.js";
import type * as schema from "./schema.js";
import { type OnProgress, ofDay, undo, whichOf } from "./undoing.js";

/** The journal is pruned after a write, unless it was this long ago at most. */
const PRUNED_EVERY_MS = 600_000;

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

/** Changes rows in an open transaction. `put` stores a whole row, with its id and its times, as it once was or as it is elsewhere. */
export type RowWriter = Pick<Rows, "select" | "get" | "insert" | "update" | "delete" | "put">;

/**
 * Every method is its own transaction. Throws `CallRefused` for values that the tables cannot hold.
 *
 * Changes are in the journal, as the user's.
 */
export class Tables {
  readonly database: Database;
  readonly clock: Pick<Clock, "now">;
  readonly #newId: IdMaker;
  readonly #journal: Journal;
  readonly #onFault: OnFault;
  readonly #listeners = new Set<(change: Change) => void>();
  #pruning: Promise<void> = Promise.resolve();
  #prunedAt = Number.NEGATIVE_INFINITY;

  /** `onFault` gets errors of listeners; `keptBytes` is how much the journal may hold, 50 MB unless given. */
  constructor(
    database: Database,
    {
      clock = systemClock,
      newId = newUuid,
      onFault = raiseLater,
      keptBytes,
    }: { clock?: Pick<Clock, "now">; newId?: IdMaker; onFault?: OnFault; keptBytes?: number } = {},
  ) {
    this.database = database;
    this.clock = clock;
    this.#newId = newId;
    this.#journal = new Journal(clock, keptBytes === undefined ? {} : { keptBytes });
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

  /** The new row, with its id, its times and its defaults. Throws if there is one with the `id` that is given. */
  async insert<T extends TableName>(table: T, given: Changes<T>, id?: string): Promise<RowOf[T]> {
    const row = await this.together((rows) => rows.insert(table, given as Given, id));
    return row as unknown as RowOf[T];
  }

  /** The updated row; null if there is none. */
  async update<T extends TableName>(table: T, id: string, updates: Changes<T>): Promise<RowOf[T] | null> {
    const row = await this.together((rows) => rows.update(table, id, updates as Given));
    return row as unknown as RowOf[T] | null;
  }

  /** Whether there was such a row. */
  async delete(table: TableName, id: string): Promise<boolean> {
    return await this.together((rows) => rows.delete(table, id));
  }

  /** Runs all of `work` or nothing. Its changes are one entry of the journal, `entry`, which is undone as a whole. */
  async together<T>(work: (rows: RowWriter, entry: string) => Promise<T>): Promise<T> {
    return await this.#byUser(async (orm, draft) => await work(this.rows(orm, draft), draft.id));
  }

  /**
   * Undoes changes, also the server's. If a row was changed since, nothing is undone, unless `isPartial`.
   *
   * An undo is in the journal itself: undoing it does again what it undid. `onProgress` is called often.
   */
  async undo(
    what: UndoWhat,
    { isPartial = false, onProgress }: { isPartial?: boolean; onProgress?: OnProgress | undefined } = {},
  ): Promise<Undone> {
    const where = whichOf(what);
    return await this.#byUser(async (orm, draft) => {
      const result = await undo(orm, this.rows(orm, draft), draft, { where, isPartial, onProgress });
      return { ...result, id: draft.undoes.length === 0 ? null : draft.id };
    });
  }

  /** What was changed on a day, such as 2026-11-24, or for a request, the latest first. */
  async history(of: { readonly day: string } | { readonly request: string }): Promise<Entry[]> {
    const where = "day" in of ? ofDay(of.day) : whichOf(of);
    return await this.database.snapshot((orm) => entriesWhere(orm, where));
  }

  /** The entries that changed the row with this id, the latest first. */
  async historyOf(id: string): Promise<Entry[]> {
    return await this.database.snapshot((orm) => entriesWhere(orm, changesRow(id)));
  }

  /** The latest entry of the journal that is neither undone nor an undo; null if there is none. */
  async latestEntry(): Promise<Entry | null> {
    const [latest] = await this.database.snapshot((orm) => entriesWhere(orm, IS_IN_EFFECT, 1));
    return latest ?? null;
  }

  /**
   * Removes what the journal keeps no longer. It happens by itself after writes, beside them, at most every ten minutes.
   *
   * It takes a transaction for each slice, so other calls go in between, and a kill loses nothing. Resolves when all of
   * it is gone; throws `DatabaseFailed`, as when the database is closed meanwhile.
   */
  async prune(): Promise<void> {
    this.#prunedAt = this.clock.now();
    // One at a time.
    const pruning = this.#pruning.catch(() => undefined).then(() => this.#pruneAll());
    this.#pruning = pruning;
    await pruning;
  }

  async #pruneAll(): Promise<void> {
    while (await this.database.snapshot((orm) => this.#journal.isExcessive(orm))) {
      await this.database.transaction((orm) => this.#journal.prune(orm));
    }
  }

  #pruneBeside(): void {
    if (this.clock.now() - this.#prunedAt >= PRUNED_EVERY_MS) {
      // What fails now is tried again after another write.
      this.prune().catch(() => undefined);
    }
  }

  /** The rows in a transaction of the database. The caller writes `draft` and reports the changes to listeners. */
  rows(orm: Orm, draft?: Draft): Rows {
    return new Rows(orm, this.clock, this.#newId, draft);
  }

  /** Runs `work` in a transaction that may write to the journal, and then reports `changes` to listeners. */
  async journaled<T>(
    work: (orm: Orm, journal: Journal) => Promise<{ result: T; changes: readonly RowChange[] }>,
  ): Promise<T> {
    const { result, changes } = await this.database.transaction((orm) => work(orm, this.#journal));
    for (const { table, id, before, after } of changes) {
      this.tell({ action: before === null ? "insert" : after === null ? "delete" : "update", table, id });
    }
    this.#pruneBeside();
    return result;
  }

  async #byUser<T>(work: (orm: Orm, draft: Draft) => Promise<T>): Promise<T> {
    return await this.journaled(async (orm, journal) => {
      const draft = new Draft(this.#newId());
      const result = await work(orm, draft);
      await journal.write(orm, draft);
      return { result, changes: draft.changes };
    });
  }

  tell(change: Change): void {
    tell(this.#listeners, change, this.#onFault);
  }
}
