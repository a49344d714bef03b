/** The device's database: created, migrated, used by one caller at a time. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import BetterSqlite from "better-sqlite3";
import { getTableColumns, getTableName, is } from "drizzle-orm";
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core";
import { expect, onTestFinished, test } from "vitest";
import {
  AiChat,
  betterSqlite3,
  Database,
  DrizzleExecutor,
  type SqliteConnection,
  schema,
  type Tables,
} from "../../src/database/index.js";
import { APPLICATION_ID, MIGRATIONS } from "../../src/database/migrations.js";
import { DatabaseFailed, DatabaseUnusable } from "../../src/errors.js";
import { TABLES } from "../../src/executor/columns.js";
import type { Call } from "../../src/index.js";
import { CONNECTIONS, openTables } from "./bench.js";

const memory = () => new BetterSqlite(":memory:");
const EVERY_TABLE = Object.values(schema).filter((each) => is(each, SQLiteTable));

function call(action: string, fields: object = {}): Call {
  return {
    type: "tool_call",
    id: `call ${action}`,
    request_id: "r",
    action,
    table: "tasks",
    ...fields,
  } as unknown as Call;
}

test.each(EVERY_TABLE.map((table) => [getTableName(table), table] as const))(
  "the migrations make %s as the schema describes it",
  async (name, table) => {
    const sqlite = memory();
    await Database.open(betterSqlite3(sqlite));

    const made = sqlite.pragma(`table_info(${name})`) as { name: string; type: string; notnull: number; pk: number }[];
    const indexes = sqlite.pragma(`index_list(${name})`) as { name: string; origin: string }[];
    expect(made.map((column) => [column.name, column.type, column.notnull === 1, column.pk === 1])).toEqual(
      Object.values(getTableColumns(table)).map((column) => [
        column.name,
        column.getSQLType().toUpperCase(),
        column.notNull,
        column.primary,
      ]),
    );
    expect(indexes.filter((index) => index.origin === "c").map((index) => index.name)).toEqual(
      getTableConfig(table).indexes.map((index) => index.config.name),
    );
  },
);

test.each(Object.entries(TABLES))("%s has the protocol's columns", (name, columns) => {
  const table = schema[name as keyof typeof TABLES];

  expect(Object.values(getTableColumns(table)).map((column) => column.name)).toEqual(
    columns.map((column) => column.name),
  );
});

function newFile(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "adiuva-client-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return path.join(folder, "data.sqlite3");
}

test("a file keeps its rows and its device's id", async () => {
  const file = newFile();
  const first = await openTables(betterSqlite3(new BetterSqlite(file)));
  const task = await first.insert("tasks", { title: "Roof" });
  await first.database.close();

  const second = await openTables(betterSqlite3(new BetterSqlite(file)));
  expect(await second.select("tasks")).toEqual([task]);
  expect(second.database.deviceId).toBe(first.database.deviceId);
  await second.database.close();
});

test("a device that was removed comes back as another, with its rows", async () => {
  const sqlite = memory();
  const tables = await openTables(betterSqlite3(sqlite));
  const before = tables.database.deviceId;
  const task = await tables.insert("tasks", { title: "Roof" });

  const after = await tables.database.renewDeviceId();

  expect(after).not.toBe(before);
  expect(tables.database.deviceId).toBe(after);
  const again = await openTables(betterSqlite3(sqlite));
  expect(again.database.deviceId).toBe(after);
  expect(await again.select("tasks")).toEqual([task]);
});

test.each([
  ["of another program", "CREATE TABLE users (id)"],
  ["of the terminal device", "PRAGMA user_version = 2"],
  ["of a newer version", "PRAGMA application_id = 0x41646961; PRAGMA user_version = 99"],
])("a database %s is left as it is", async (_whose, sql) => {
  const sqlite = memory();
  sqlite.exec(sql);

  await expect(Database.open(betterSqlite3(sqlite))).rejects.toBeInstanceOf(DatabaseUnusable);
  expect(sqlite.prepare("SELECT count(*) AS n FROM sqlite_master WHERE name = 'tasks'").get()).toEqual({ n: 0 });
});

test("the file of another program keeps every byte", async () => {
  const file = newFile();
  new BetterSqlite(file).exec("CREATE TABLE users (id)").close();
  const bytes = readFileSync(file);
  const sqlite = new BetterSqlite(file);

  await expect(Database.open(betterSqlite3(sqlite))).rejects.toBeInstanceOf(DatabaseUnusable);

  sqlite.close();
  expect(readFileSync(file).equals(bytes)).toBe(true);
});

test.each([
  ["that is none", 0, "file is not a database"],
  ["that is damaged", 100, "database disk image is malformed"],
])("a file %s is unusable", async (_what, from, reason) => {
  const file = newFile();
  await (await Database.open(betterSqlite3(new BetterSqlite(file)))).close();
  writeFileSync(file, readFileSync(file).fill("x", from));
  const sqlite = new BetterSqlite(file);
  onTestFinished(() => void sqlite.close());

  await expect(async () => await Database.open(betterSqlite3(sqlite))).rejects.toEqual(
    new DatabaseUnusable(`The database cannot be used: ${reason}.`),
  );
});

test("a database of the first version is brought up to date, and its vectors are of a model that is not known", async () => {
  const sqlite = memory();
  for (const statement of MIGRATIONS[0] ?? []) {
    sqlite.exec(statement);
  }
  sqlite.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = 1; INSERT INTO _device VALUES ('d');
    INSERT INTO _vectors VALUES ('n', NULL, 'Milk', x'0000803f')`);

  const { orm, deviceId } = await Database.open(betterSqlite3(sqlite));

  expect(deviceId).toBe("d");
  expect(await orm.select().from(schema.vectors)).toMatchObject([{ id: "n", content: "Milk", model: null }]);
});

test("the calls in the ledger of an older database stay known, and cannot be undone", async () => {
  const sqlite = memory();
  const insert = call("insert", { data: { title: "Roof" } });
  const before = await openTables(betterSqlite3(sqlite));
  const answer = await new DrizzleExecutor(before).execute(insert);
  await before.prune();
  sqlite.exec(`${MIGRATIONS[0]?.find((statement) => statement.includes("_ledger"))};
    INSERT INTO _ledger SELECT id, hash, result, at FROM _journal; DROP TABLE _journal; DROP TABLE _pins; PRAGMA user_version = 2`);

  const tables = await openTables(betterSqlite3(sqlite));

  expect(await new DrizzleExecutor(tables).execute(insert)).toEqual(answer);
  expect(await tables.undo({ call: insert.id })).toEqual({ undone: [], conflicts: [], id: null });
  expect(sqlite.prepare("SELECT count(*) AS n FROM sqlite_master WHERE name = '_ledger'").get()).toEqual({ n: 0 });
});

test("a connection that lacks the function is refused at once", async () => {
  const sqlite = memory();
  const bare: SqliteConnection = { ...betterSqlite3(memory()), run: (sql) => sqlite.prepare(sql).raw().all() as never };

  await expect(Database.open(bare)).rejects.toThrow("The database cannot be used: no such function: folded.");
});

test.each(Object.entries(CONNECTIONS))(
  "a transaction is all or nothing, with no statement in between (%s)",
  async (_name, open) => {
    const tables = await openTables(await open());
    const order: string[] = [];

    const failing = tables.database.transaction(async (orm) => {
      await tables.rows(orm).insert("tasks", { title: "never kept" });
      order.push("first");
      throw new Error("no");
    });
    const other = tables.insert("tasks", { title: "kept" }).then(() => order.push("second"));
    const read = tables.select("tasks").then((rows) => order.push(`sees ${rows.map((row) => row.title)}`));

    await expect(failing).rejects.toThrow("no");
    await Promise.all([other, read]);
    expect(order).toEqual(["first", "second", "sees kept"]);
  },
);

test("every change is reported, the user's and the server's, but not a repeated one", async () => {
  const tables = await openTables(betterSqlite3(memory()));
  const executor = new DrizzleExecutor(tables);
  const told: string[] = [];
  const stop = tables.onChange(({ action, table }) => told.push(`${action} ${table}`));

  const { id } = await tables.insert("notes", { title: "Ideas" });
  await executor.execute(call("insert", { data: { title: "Roof" } }));
  await executor.execute(call("insert", { data: { title: "Roof" } }));
  await tables.update("notes", id, { content: "Bread" });
  await tables.update("notes", "nobody", { content: "Bread" });
  await executor.execute(call("delete", { table: "notes", data: { id } }));
  await executor.execute(call("delete", { id: "again", table: "notes", data: { id } }));
  stop();
  await tables.insert("notes", { title: "More" });

  expect(told).toEqual(["insert notes", "insert tasks", "update notes", "delete notes"]);
});

test.each(Object.entries(CONNECTIONS))("a search in %s may have any number of words", async (_name, open) => {
  const tables = await openTables(await open());
  const content = Array.from({ length: 2_000 }, (_, number) => `word${number}`).join(" ");
  await tables.insert("notes", { title: "All", content });

  expect(await tables.select("notes", { search: content })).toHaveLength(1);
  expect(await tables.select("notes", { search: `${content} missing` })).toEqual([]);
});

test("a change and its journal entry are committed together or not at all", async () => {
  const sqlite = memory();
  const tables = await openTables(betterSqlite3(sqlite));
  sqlite.exec("CREATE TRIGGER full BEFORE INSERT ON _journal BEGIN SELECT raise(ABORT, 'disk is full'); END");

  const answer = await new DrizzleExecutor(tables).execute(call("insert", { data: { title: "Roof" } }));

  expect(answer).toEqual({ error: "The device's database could not do it: disk is full." });
  expect(await tables.select("tasks")).toEqual([]);
});

test("database errors are reported without user text", async () => {
  const sqlite = memory();
  const executor = new DrizzleExecutor(await openTables(betterSqlite3(sqlite)));
  sqlite.exec("DROP TABLE tasks");

  const answer = await executor.execute(call("select", { filters: { search: "secret" } }));

  expect(answer).toEqual({ error: "The device's database could not do it: no such table: tasks." });
});

test.each<[string, (tables: Tables) => Promise<unknown>]>([
  ["a change", (tables) => tables.insert("tasks", { title: "secret" })],
  ["a list", (tables) => tables.select("tasks", { search: "secret" })],
  ["a row", (tables) => tables.get("tasks", "secret")],
  ["a new conversation", ({ database }) => new AiChat(database).createSession("home", { title: "secret" })],
  ["a conversation's new name", ({ database }) => new AiChat(database).renameSession("s", "secret")],
])("%s that fails is reported to pages without user text", async (_, act) => {
  const sqlite = memory();
  const tables = await openTables(betterSqlite3(sqlite));
  sqlite.exec("DROP TABLE tasks; DROP TABLE ai_chat_sessions");

  const failure = await act(tables).catch((error: unknown) => error);

  expect(failure).toBeInstanceOf(DatabaseFailed);
  expect((failure as Error).message).toMatch(/^no such table: \w+$/);
});

test("an unexpected error is reported here, and the server does not get its message", async () => {
  const faults: unknown[] = [];
  const tables = await openTables(betterSqlite3(memory()));
  const executor = new DrizzleExecutor(tables, { onFault: (error) => faults.push(error) });
  tables.rows = () => {
    throw new RangeError("secret");
  };

  expect(await executor.execute(call("select"))).toEqual({ error: "Something went wrong on the device." });
  expect(faults).toEqual([new RangeError("secret")]);
});
