/** The user's tables, a row at a time, in a database or in its open transaction. */
import { and, asc, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { checkedInsert, checkedUpdates, hasColumn, type TableName } from "../executor/columns.js";
import { type Given, type Row, validText } from "../executor/values.js";
import type { Clock, IdMaker } from "../ports.js";
import type { Orm } from "./database.js";
import * as schema from "./schema.js";
import { conditionsOf, orderOf, SELECT_LIMIT } from "./selecting.js";
import { dropVector } from "./vectors.js";

export const TABLE_OF: Readonly<Record<TableName, SQLiteTable>> = {
  tasks: schema.tasks,
  projects: schema.projects,
  checkpoints: schema.checkpoints,
  notes: schema.notes,
  taskComments: schema.taskComments,
  clients: schema.clients,
};

/** Throws `CallRefused` for values that the tables cannot hold. */
export class Rows {
  readonly #orm: Orm;
  readonly #clock: Pick<Clock, "now">;
  readonly #newId: IdMaker;

  constructor(orm: Orm, clock: Pick<Clock, "now">, newId: IdMaker) {
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

  /** The new row, with its id, its times and its defaults. */
  async insert(name: TableName, given: Given): Promise<Row> {
    const now = this.#clock.now();
    const times = hasColumn(name, "updatedAt") ? { createdAt: now, updatedAt: now } : { createdAt: now };
    const made = { id: this.#newId(), ...checkedInsert(name, given), ...times };
    await this.#orm.insert(TABLE_OF[name]).values(made);
    return await this.#existing(name, made.id);
  }

  /** The updated row; null if there is none. A note's vector moves with it to another project. */
  async update(name: TableName, id: string, updates: Given): Promise<Row | null> {
    const changed = checkedUpdates(name, updates);
    if (hasColumn(name, "updatedAt")) {
      changed.updatedAt = this.#clock.now();
    }
    if ((await this.get(name, id)) === null) {
      return null;
    }
    const table = TABLE_OF[name];
    await this.#orm.update(table).set(changed).where(idIs(table, id));
    if (name === "notes" && changed.projectId !== undefined) {
      const projectId = changed.projectId as string | null;
      await this.#orm.update(schema.vectors).set({ projectId }).where(eq(schema.vectors.id, id));
    }
    return await this.#existing(name, id);
  }

  /** Whether there was such a row. A note's vector is deleted too. */
  async delete(name: TableName, id: string): Promise<boolean> {
    const table = TABLE_OF[name];
    const existed = (await this.get(name, id)) !== null;
    await this.#orm.delete(table).where(idIs(table, id));
    if (name === "notes") {
      await dropVector(this.#orm, id);
    }
    return existed;
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
