/** The user's tables, a row at a time, in a database or in its open transaction. */
import { and, asc, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { checkedInsert, checkedUpdates, hasColumn, type TableName } from "../executor/columns.js";
import { type Given, type Row, validText } from "../executor/values.js";
import type { Clock, IdMaker } from "../ports.js";
import type { Orm } from "./database.js";
import type { Draft } from "./journal.js";
import { isAboutText, type StoredVector } from "./journal_entries.js";
import * as schema from "./schema.js";
import { conditionsOf, orderOf, SELECT_LIMIT } from "./selecting.js";
import { dropVector, putVector, vectorOf } from "./vectors.js";

export const TABLE_OF: Readonly<Record<TableName, SQLiteTable>> = {
  tasks: schema.tasks,
  projects: schema.projects,
  checkpoints: schema.checkpoints,
  notes: schema.notes,
  taskComments: schema.taskComments,
  clients: schema.clients,
};

/** Throws `CallRefused` for values that the tables cannot hold. What changes is noted in `draft`, if there is one. */
export class Rows {
  readonly #orm: Orm;
  readonly #clock: Pick<Clock, "now">;
  readonly #newId: IdMaker;
  readonly #draft: Draft | undefined;

  constructor(orm: Orm, clock: Pick<Clock, "now">, newId: IdMaker, draft?: Draft) {
    this.#draft = draft;
    this.#orm = orm;
    this.#clock = clock;
    this.#newId = newId;
  }

  /** At most `limit` rows that match `filters`; see `selecting.ts`. */
  async select(name: TableName, filters: Given, limit = SELECT_LIMIT): Promise<Row[]> {
    const table = TABLE_OF[name];
    const columns = getTableColumns(table) as Record<string, SQLiteColumn>;
    const where = and(...conditionsOf(name, columns, filters));
    const order: SQL[] = [...orderOf(name, columns, filters), asc(columnIn(columns, "createdAt")), sql`rowid`];
    return (await this.#orm
      .select()
      .from(table)
      .where(where)
      .orderBy(...order)
      .limit(limit)) as Row[];
  }

  /** How many rows match `filters`. */
  async count(name: TableName, filters: Given): Promise<number> {
    const table = TABLE_OF[name];
    const columns = getTableColumns(table) as Record<string, SQLiteColumn>;
    return await this.#orm.$count(table, and(...conditionsOf(name, columns, filters)));
  }

  async get(name: TableName, id: string): Promise<Row | null> {
    const table = TABLE_OF[name];
    const [row] = await this.#orm.select().from(table).where(idIs(table, id)).limit(1);
    return (row as Row | undefined) ?? null;
  }

  /** At most `limit` rows that have `id` in `column`, the oldest first. */
  async pointingTo(id: string, name: TableName, column: string, limit: number): Promise<Row[]> {
    const table = TABLE_OF[name];
    const columns = getTableColumns(table) as Record<string, SQLiteColumn>;
    return (await this.#orm
      .select()
      .from(table)
      .where(eq(columnIn(columns, column), id))
      .orderBy(asc(columnIn(columns, "createdAt")), sql`rowid`)
      .limit(limit)) as Row[];
  }

  /** The new row, with its id, its times and its defaults. */
  async insert(name: TableName, given: Given, id: string = this.#newId()): Promise<Row> {
    const now = this.#clock.now();
    const times = hasColumn(name, "updatedAt") ? { createdAt: now, updatedAt: now } : { createdAt: now };
    const made = { id, ...checkedInsert(name, given), ...times };
    await this.#orm.insert(TABLE_OF[name]).values(made);
    const row = await this.#existing(name, made.id);
    this.#draft?.note({ table: name, id: made.id, before: null, after: row });
    return row;
  }

  /** The updated row; null if there is none. A note's vector moves with it to another project. */
  async update(name: TableName, id: string, updates: Given): Promise<Row | null> {
    const changed = checkedUpdates(name, updates);
    if (hasColumn(name, "updatedAt")) {
      changed.updatedAt = this.#clock.now();
    }
    const before = await this.get(name, id);
    if (before === null) {
      return null;
    }
    const vector = await this.#noted(name, id);
    await this.#set(name, id, changed);
    const after = await this.#existing(name, id);
    this.#draft?.note({ table: name, id, before, after, ...vector });
    return after;
  }

  /** Whether there was such a row. A note's vector is deleted too. */
  async delete(name: TableName, id: string): Promise<boolean> {
    const before = await this.get(name, id);
    const vector = await this.#noted(name, id);
    await this.#remove(name, id);
    this.#draft?.note({ table: name, id, before, after: null, ...vector });
    return before !== null;
  }

  /** Makes a row exactly what it once was, null for none, and `vector` that of a note if its text changes. */
  async put(name: TableName, id: string, row: Row | null, vector: StoredVector | null): Promise<void> {
    const before = await this.get(name, id);
    const change = { table: name, id, before, after: row, ...(await this.#noted(name, id)) };
    if (row === null) {
      await this.#remove(name, id);
    } else if (before === null) {
      await this.#orm.insert(TABLE_OF[name]).values(row);
    } else {
      await this.#set(name, id, row);
    }
    if (isAboutText(change)) {
      await putVector(this.#orm, id, vector);
    }
    this.#draft?.note(change);
  }

  /** The vector of a note, to be noted with a change. */
  async #noted(name: TableName, id: string): Promise<{ vector?: StoredVector }> {
    const vector = name === "notes" && this.#draft !== undefined ? await vectorOf(this.#orm, id) : null;
    return vector === null ? {} : { vector };
  }

  async #set(name: TableName, id: string, columns: Row): Promise<void> {
    const table = TABLE_OF[name];
    await this.#orm.update(table).set(columns).where(idIs(table, id));
    if (name === "notes" && columns.projectId !== undefined) {
      const projectId = columns.projectId as string | null;
      await this.#orm.update(schema.vectors).set({ projectId }).where(eq(schema.vectors.id, id));
    }
  }

  async #remove(name: TableName, id: string): Promise<void> {
    const table = TABLE_OF[name];
    await this.#orm.delete(table).where(idIs(table, id));
    if (name === "notes") {
      await dropVector(this.#orm, id);
    }
  }

  async #existing(name: TableName, id: string): Promise<Row> {
    const row = await this.get(name, id);
    if (row === null) {
      throw new Error("A row is gone that was written in this very transaction.");
    }
    return row;
  }
}

function columnIn(columns: Record<string, SQLiteColumn>, name: string): SQLiteColumn {
  const found = columns[name];
  if (found === undefined) {
    throw new Error(`The schema lacks the column ${name}.`);
  }
  return found;
}

function idIs(table: SQLiteTable, id: string): SQL {
  return eq(columnIn(getTableColumns(table) as Record<string, SQLiteColumn>, "id"), validText(id, "id"));
}
