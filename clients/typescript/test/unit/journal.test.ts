/** The journal, and undoing beyond the cases that every executor shares. */
import BetterSqlite from "better-sqlite3";
import { expect, test } from "vitest";
import {
  betterSqlite3,
  Database,
  DrizzleExecutor,
  type SqliteConnection,
  type SqlValue,
  schema,
  Tables,
} from "../../src/database/index.js";
import { KEPT_MS } from "../../src/database/journal.js";
import { DatabaseFailed } from "../../src/errors.js";
import { AdiuvaClient, type Call, CallRefused } from "../../src/index.js";
import { countedIds, openTables, SetClock } from "./bench.js";

const memory = () => betterSqlite3(new BetterSqlite(":memory:"));

/** Counts the entries that each statement removes from the journal; no statement about it works while it is broken. */
class CountingConnection implements SqliteConnection {
  readonly removed: number[] = [];
  isBroken = false;
  onRemoved: () => void = () => undefined;
  readonly #inner: SqliteConnection;

  constructor(inner: SqliteConnection) {
    this.#inner = inner;
  }

  run(sql: string, parameters: readonly SqlValue[]): SqlValue[][] {
    if (this.isBroken && sql.includes("_journal")) {
      throw new Error("the disk is full");
    }
    const rows = this.#inner.run(sql, parameters) as SqlValue[][];
    if (sql.startsWith('delete from "_journal"') && rows.length > 0) {
      this.removed.push(rows.length);
      this.onRemoved();
    }
    return rows;
  }

  close(): void {
    void this.#inner.close();
  }
}

function insertion(id: string, fields: object = {}): Call {
  const call = { type: "tool_call", id, request_id: "r", action: "insert", table: "tasks" };
  return { ...call, data: { title: "Roof" }, ...fields } as unknown as Call;
}

test("an entry says what was changed, by whom and for which request", async () => {
  const clock = new SetClock();
  const tables = await openTables(memory(), clock);
  const { row } = await new DrizzleExecutor(tables).execute(insertion("c1", { by: "task_agent" }));
  const id = String(row?.id);
  clock.time = 2000;
  await tables.update("tasks", id, { status: "done" });
  await tables.update("tasks", id, { status: "done" });

  const change = { table: "tasks", id };
  const entries = await tables.history({ day: "1970-01-01" });
  expect(entries).toEqual([
    {
      id: expect.any(String),
      requestId: null,
      by: "user",
      at: 2000,
      changes: [{ ...change, before: row, after: { ...row, status: "done" } }],
      undoes: [],
      undoneBy: null,
    },
    {
      id: "c1",
      requestId: "r",
      by: "task_agent",
      at: 1000,
      changes: [{ ...change, before: null, after: row }],
      undoes: [],
      undoneBy: null,
    },
  ]);
  expect(await tables.history({ request: "r" })).toEqual(entries.slice(1));
});

test("the latest change is neither an undo nor undone, and changes something", async () => {
  const tables = await openTables(memory());
  const executor = new DrizzleExecutor(tables);
  expect(await tables.latestEntry()).toBeNull();
  await executor.execute(insertion("c1"));
  await executor.execute(insertion("c2"));
  await executor.execute(insertion("c3", { action: "delete", data: { id: "nobody" } }));
  const undone = await tables.undo({ call: "c2" });

  expect((await tables.latestEntry())?.id).toBe("c1");
  await tables.undo({ call: String(undone.id) });
  expect((await tables.latestEntry())?.id).toBe("c2");
});

test("the history of a row is what changed it, and not what only names it", async () => {
  const tables = await openTables(memory(), new SetClock());
  const { id } = await tables.insert("projects", { name: "House" });
  await tables.insert("tasks", { title: id, description: `"id":"${id}"`, projectId: id });
  await tables.update("projects", id, { name: "Barn" });
  expect((await tables.historyOf(id)).map(({ changes }) => changes.map(({ table }) => table))).toEqual([
    ["projects"],
    ["projects"],
  ]);
});

test("of many rows that keep a project some are named", async () => {
  const tables = await openTables(memory());
  const { row } = await new DrizzleExecutor(tables).execute(
    insertion("p", { table: "projects", data: { name: "House" } }),
  );
  const projectId = String(row?.id);
  for (let number = 0; number < 25; number += 1) {
    await tables.insert("tasks", { title: `task ${number}`, projectId });
  }
  const { conflicts } = await tables.undo({ request: "r" });
  expect(conflicts.map(({ now }) => now?.title)).toEqual([
    undefined,
    ...Array.from({ length: 20 }, (_, number) => `task ${number}`),
  ]);
  expect(await tables.get("projects", projectId)).toEqual(row);
});

test("entries are kept for thirty days, and are removed beside a write", async () => {
  const clock = new SetClock();
  const connection = new CountingConnection(memory());
  const tables = await openTables(connection, clock);
  for (let number = 0; number < 450; number += 1) {
    await tables.insert("clients", { name: "ACME" });
  }
  const count = () => tables.database.orm.$count(schema.journal);
  clock.time += KEPT_MS;
  await tables.insert("clients", { name: "new" });
  await tables.prune();
  expect(await count()).toBe(451);

  clock.time += 1;
  connection.removed.length = 0;
  await tables.prune();
  expect(await count()).toBe(1);
  expect(connection.removed).toEqual([200, 200, 50]);

  clock.time += KEPT_MS + 1;
  await tables.insert("clients", { name: "newer" });
  await expect.poll(count).toBe(1);
  expect(await tables.select("clients")).toHaveLength(452);
});

test("calls go between the slices of a pruning, and one that fails is made up for after a later write", async () => {
  const clock = new SetClock();
  const connection = new CountingConnection(memory());
  const tables = await openTables(connection, clock);
  for (let number = 0; number < 450; number += 1) {
    await tables.insert("clients", { name: "ACME" });
  }
  clock.time += KEPT_MS + 1;
  const removedBeforeRead = new Promise((resolve) => {
    connection.onRemoved = () => {
      connection.onRemoved = () => undefined;
      tables.get("clients", "nobody").then(() => resolve(connection.removed.length));
    };
  });
  await tables.prune();
  expect([await removedBeforeRead, connection.removed.length]).toEqual([1, 3]);

  clock.time += KEPT_MS + 1;
  connection.isBroken = true;
  await expect(tables.prune()).rejects.toThrow(DatabaseFailed);
  connection.isBroken = false;
  clock.time += 600_000;
  await tables.insert("clients", { name: "new" });
  await expect.poll(() => tables.database.orm.$count(schema.journal)).toBe(1);
});

test("beyond the limit the oldest lose their changes, and calls stay known", async () => {
  const newId = countedIds();
  const tables = new Tables(await Database.open(memory(), { newId }), { newId, keptBytes: 2000 });
  const executor = new DrizzleExecutor(tables);
  for (let number = 0; number < 30; number += 1) {
    await executor.execute(insertion(`c${number}`));
  }
  await tables.prune();

  const kept = await tables.history({ request: "r" });
  expect(kept.map(({ id }) => id)).toEqual(["c29", "c28", "c27"].slice(0, kept.length));
  expect(kept.length).toBeGreaterThan(0);
  expect(await executor.execute(insertion("c0"))).toEqual({
    error: "It was done, and what came of it is not kept any more.",
  });
  expect(await tables.undo({ call: "c0" })).toEqual({ undone: [], conflicts: [], id: null });
  expect(await tables.select("tasks")).toHaveLength(30);
});

test("what an undo changes is reported", async () => {
  const tables = await openTables(memory());
  const { id } = await tables.insert("clients", { name: "ACME" });
  await tables.delete("clients", id);
  const told: string[] = [];
  tables.onChange((change) => told.push(`${change.action} ${change.id}`));
  await tables.undo({ by: "user", since: 1001 });
  await tables.undo({ call: String((await tables.latestEntry())?.id) });
  expect(told).toEqual([`insert ${id}`]);
});

test("a client undoes on its device, if that keeps a journal", async () => {
  const tables = await openTables(memory());
  const options = {
    server: "http://127.0.0.1:1",
    sockets: () => expect.fail("nothing is sent"),
    token: async () => "token",
    device: { id: "d" },
  };
  const client = new AdiuvaClient({ ...options, executor: new DrizzleExecutor(tables) });
  const { id } = await tables.insert("clients", { name: "ACME" });
  await tables.update("clients", id, { name: "Other" });
  const change = await tables.latestEntry();

  const done = await client.undo({ call: String(change?.id) });

  expect(done.undone.map(({ effect }) => effect)).toEqual(["reverted"]);
  expect(await tables.get("clients", id)).toMatchObject({ name: "ACME" });
  expect((await client.undo({ call: String(done.id) })).undone).toHaveLength(1);
  await expect(new AdiuvaClient(options).undo({ request: "r" })).rejects.toThrow(
    new CallRefused("This device cannot undo changes."),
  );
});

test("rows that were deleted together come back in the same order, and the undo says how far it is", async () => {
  const tables = await openTables(memory(), new SetClock());
  const titles = ["Roof", "Wall", "Door"];
  for (const title of titles) {
    await tables.insert("tasks", { title });
  }
  const entry = await tables.together(async (rows, id) => {
    for (const row of await rows.select("tasks", {})) {
      await rows.delete("tasks", String(row.id));
    }
    return id;
  });
  const progress: (readonly [number, number])[] = [];

  const { id } = await tables.undo({ call: entry }, { onProgress: (...steps) => progress.push(steps) });

  const shown = async () => (await tables.select("tasks")).map(({ title }) => title);
  expect(await shown()).toEqual(titles);
  expect(progress).toEqual([1, 2, 3, 4, 5, 6].map((done) => [done, 6]));
  const again = await tables.undo({ call: id as string });
  expect(await shown()).toEqual([]);
  await tables.undo({ call: again.id as string });
  expect(await shown()).toEqual(titles);
});
