/** The journal, and undoing beyond the cases that every executor shares. */
import BetterSqlite from "better-sqlite3";
import { expect, test } from "vitest";
import { betterSqlite3, Database, DrizzleExecutor, schema, Tables } from "../../src/database/index.js";
import { KEPT_MS } from "../../src/database/journal.js";
import { upsertVector } from "../../src/database/vectors.js";
import { AdiuvaClient, type Call, CallRefused } from "../../src/index.js";
import { countedIds, openTables, SetClock } from "./bench.js";

const memory = () => betterSqlite3(new BetterSqlite(":memory:"));

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

test("entries are kept for thirty days, and go a few with each write", async () => {
  const clock = new SetClock();
  const tables = await openTables(memory(), clock);
  for (let number = 0; number < 25; number += 1) {
    await tables.insert("clients", { name: "ACME" });
  }
  clock.time += KEPT_MS;
  await tables.insert("clients", { name: "ACME" });
  expect(await tables.database.orm.$count(schema.journal)).toBe(26);
  clock.time += 1;
  await tables.insert("clients", { name: "ACME" });
  expect(await tables.database.orm.$count(schema.journal)).toBe(7);
});

test("beyond the limit the oldest lose their changes, and calls stay known", async () => {
  const newId = countedIds();
  const tables = new Tables(await Database.open(memory(), { newId }), { newId, keptBytes: 2000 });
  const executor = new DrizzleExecutor(tables);
  for (let number = 0; number < 30; number += 1) {
    await executor.execute(insertion(`c${number}`));
  }

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

/** Numbers that look random and are the same for the same seed (a linear congruential generator). */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
}

type State = Map<string, string>;

/** All notes and comments with their vectors, as text. */
async function stateOf(tables: Tables): Promise<State> {
  const { orm } = tables.database;
  const vectors = new Map((await orm.select().from(schema.vectors)).map((vector) => [vector.id, vector]));
  const rows = [
    ...(await tables.select("notes")).map((row) => [row.id, { ...row, vector: vectors.get(row.id) ?? null }] as const),
    ...(await tables.select("taskComments")).map((row) => [row.id, row] as const),
  ];
  return new Map(rows.map(([id, row]) => [id, JSON.stringify(row)]));
}

async function changeSomething(tables: Tables, draw: (below: number) => number): Promise<void> {
  const content = `text ${draw(3)}`;
  await tables.together(async (rows) => {
    for (let change = draw(3); change >= 0; change -= 1) {
      const table = draw(2) === 0 ? "notes" : "taskComments";
      const all = await rows.select(table, {});
      const id = String(all[draw(all.length)]?.id);
      if (all.length < 2) {
        await rows.insert(
          table,
          table === "notes" ? { title: "Ideas", content } : { taskId: "t", author: "A", content },
        );
      } else if (draw(3) === 0) {
        await rows.delete(table, id);
      } else {
        await rows.update(table, id, { content });
      }
    }
  });
  const [note] = await tables.select("notes");
  if (note !== undefined && draw(2) === 0) {
    await tables.database.transaction((orm) => upsertVector(orm, note, [1, draw(9)], "m"));
  }
}

test.each(Array.from({ length: 15 }, (_, seed) => seed))(
  "whatever is undone in whatever order is as it was, or nothing changes (%i)",
  async (seed) => {
    const draw = numbers(seed + 1);
    const tables = await openTables(memory());
    for (let change = 0; change < 12; change += 1) {
      await changeSomething(tables, draw);
    }
    const day = { day: "1970-01-01" };
    for (let attempt = 0; attempt < 20; attempt += 1) {
      const entries = (await tables.history(day)).filter(({ undoneBy }) => undoneBy === null);
      const entry = entries[draw(entries.length)];
      const [now, { undone, conflicts }] = [await stateOf(tables), await tables.undo({ call: String(entry?.id) })];
      const after = await stateOf(tables);
      const touched = new Set(undone.map(({ id }) => id));
      expect(conflicts.length > 0 && undone.length > 0).toBe(false);
      expect(withoutRows(after, touched)).toEqual(withoutRows(now, touched));
      for (const row of undone) {
        const first = entry?.changes.find(({ id }) => id === row.id);
        expect([row.after, await tables.get(row.table as "notes", row.id)]).toEqual([first?.before, first?.before]);
      }
    }
  },
);

test.each(Array.from({ length: 5 }, (_, seed) => seed))(
  "everything is undone from the end, and done again (%i)",
  async (seed) => {
    const draw = numbers(seed + 1);
    const tables = await openTables(memory());
    for (let change = 0; change < 12; change += 1) {
      await changeSomething(tables, draw);
    }
    const [before, undos] = [await stateOf(tables), [] as string[]];
    for (let entry = await tables.latestEntry(); entry !== null; entry = await tables.latestEntry()) {
      const { conflicts, id } = await tables.undo({ call: entry.id });
      expect(conflicts).toEqual([]);
      undos.push(String(id));
    }
    expect(await stateOf(tables)).toEqual(new Map());
    for (const call of undos.reverse()) {
      await tables.undo({ call });
    }
    expect(await stateOf(tables)).toEqual(before);
  },
);

function withoutRows(state: State, ids: ReadonlySet<string>): [string, string][] {
  return [...state].filter(([id]) => !ids.has(id));
}
