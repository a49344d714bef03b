/** All of a user's data at once: read for a copy, written from one, deleted. */
import { eq, getTableColumns, inArray, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { TABLE_NAMES } from "../executor/columns.js";
import { COPIED, type CopiedTable, type Copy } from "./copy_format.js";
import type { Orm } from "./database.js";
import { TABLE_OF } from "./rows.js";
import * as schema from "./schema.js";
import type { Change, Tables } from "./tables.js";

/** How many rows one statement inserts; SQLite accepts 32,766 values. */
const AT_ONCE = 200;

const STORED: Readonly<Record<CopiedTable, SQLiteTable>> = {
  ...TABLE_OF,
  ai_chat_sessions: schema.aiChatSessions,
  ai_chat_messages: schema.aiChatMessages,
};

/** How many rows of each table a copy has, and how many of them replace a row with the same id. */
export interface CopySummary {
  readonly madeAt: number;
  readonly counts: { readonly [Table in CopiedTable]: { readonly rows: number; readonly replaced: number } };
}

/** A consistent snapshot of all rows. */
export async function exportRows({ database, clock }: Tables): Promise<Copy> {
  return await database.snapshot(async (orm) => {
    const rows: Partial<Record<CopiedTable, unknown[]>> = {};
    for (const name of COPIED) {
      rows[name] = await orm.select().from(STORED[name]).orderBy(sql`rowid`);
    }
    return { madeAt: clock.now(), rows: rows as unknown as Copy["rows"] };
  });
}

/** What `importRows` would do. */
export async function compareRows({ database }: Tables, copy: Copy): Promise<CopySummary> {
  return await database.snapshot(async (orm) => summaryOf(copy, await knownIds(orm)));
}

/**
 * Writes all rows of a copy or none, and reports each. Rows with the same id are replaced, others stay.
 *
 * Throws `DatabaseFailed`, as when the disk is full.
 */
export async function importRows(tables: Tables, copy: Copy): Promise<CopySummary> {
  const known = await tables.database.transaction(async (orm) => {
    const before = await knownIds(orm);
    for (const name of COPIED) {
      await put(orm, STORED[name], copy.rows[name]);
    }
    await moveVectors(orm);
    return before;
  });
  for (const table of TABLE_NAMES) {
    for (const { id } of copy.rows[table]) {
      tables.tell({ action: known[table].has(id) ? "update" : "insert", table, id });
    }
  }
  return summaryOf(copy, known);
}

/**
 * Deletes all rows of the user's tables, all conversations, and everything else with their text, also from the file.
 *
 * The device keeps its id. Throws `DatabaseFailed`.
 */
export async function deleteRows(tables: Tables): Promise<void> {
  const known = await tables.journaled(async (orm, journal) => {
    const before = await knownIds(orm);
    for (const table of [...Object.values(STORED), schema.vectors]) {
      await orm.delete(table);
    }
    await journal.forget(orm);
    return { result: before, changes: [] };
  });
  for (const table of TABLE_NAMES) {
    for (const id of known[table]) {
      tables.tell({ action: "delete", table, id } satisfies Change);
    }
  }
  await tables.database.compact();
}

type Ids = Readonly<Record<CopiedTable, ReadonlySet<string>>>;

async function knownIds(orm: Orm): Promise<Ids> {
  const ids: Partial<Record<CopiedTable, ReadonlySet<string>>> = {};
  for (const name of COPIED) {
    const rows = await orm.select({ id: columnsOf(STORED[name]).id }).from(STORED[name]);
    ids[name] = new Set(rows.map(({ id }) => String(id)));
  }
  return ids as Ids;
}

function summaryOf({ madeAt, rows }: Copy, known: Ids): CopySummary {
  const counts = COPIED.map((name) => {
    const replaced = rows[name].filter(({ id }) => known[name].has(id)).length;
    return [name, { rows: rows[name].length, replaced }] as const;
  });
  return { madeAt, counts: Object.fromEntries(counts) as unknown as CopySummary["counts"] };
}

async function put(orm: Orm, table: SQLiteTable, rows: readonly Record<string, unknown>[]): Promise<void> {
  const { id, ...others } = columnsOf(table);
  const set = Object.fromEntries(
    Object.entries(others).map(([name, column]): [string, SQL] => [name, sql`excluded.${sql.identifier(column.name)}`]),
  );
  for (let start = 0; start < rows.length; start += AT_ONCE) {
    await orm
      .insert(table)
      .values(rows.slice(start, start + AT_ONCE))
      .onConflictDoUpdate({ target: id, set });
  }
}

/** Moves the vector of an existing note to its new project. */
async function moveVectors(orm: Orm): Promise<void> {
  const { notes, vectors } = schema;
  const projectOf = orm.select({ projectId: notes.projectId }).from(notes).where(eq(notes.id, vectors.id));
  await orm
    .update(vectors)
    .set({ projectId: sql`${projectOf}` })
    .where(inArray(vectors.id, orm.select({ id: notes.id }).from(notes)));
}

function columnsOf(table: SQLiteTable): { id: SQLiteColumn } & Record<string, SQLiteColumn> {
  return getTableColumns(table) as { id: SQLiteColumn } & Record<string, SQLiteColumn>;
}
