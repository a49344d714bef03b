/** Imports and exports in the store, with an in-memory database. */
import { Database, type SqliteConnection, type SqliteWasm, sqliteWasm, Tables } from "@adiuva/client/database";
import sqlite3InitModule from "@sqlite.org/sqlite-wasm";
import { expect, test } from "vitest";
import { IMPORTED } from "../src/moving/plan";
import { readPlan } from "../src/moving/read";
import type { PathFile } from "../src/moving/zip";
import type { StoreEvent } from "../src/rpc/messages";
import { Copies } from "../src/store/copies";
import { Transfers } from "../src/store/transfers";
import { CONTEXT, exported, NOW, textFile } from "./imports";
import { keptPictures } from "./pictures";

async function opened() {
  const sqlite3 = await sqlite3InitModule();
  const working = sqliteWasm(new sqlite3.oo1.DB(":memory:") as unknown as SqliteWasm);
  const disk = { left: Number.POSITIVE_INFINITY };
  const connection: SqliteConnection = {
    ...working,
    run(sql, parameters) {
      if (sql.startsWith("insert") && disk.left-- <= 0) {
        throw new Error("database or disk is full");
      }
      return working.run(sql, parameters);
    },
  };
  const tables = new Tables(await Database.open(connection), { clock: { now: () => NOW } });
  const pictures = keptPictures();
  const events: StoreEvent[] = [];
  const tell = (event: StoreEvent) => void events.push(event);
  const transfers = new Transfers({ tables, pictures, readPlan, tell });
  const copies = new Copies({ tables, pictures, conversations: { stopAll: async () => undefined }, tell });
  return { copies, disk, events, pictures, tables, transfers };
}

type Opened = Awaited<ReturnType<typeof opened>>;

async function imported({ transfers }: Opened, files: readonly PathFile[]) {
  return await transfers.run((await transfers.read(files, CONTEXT)).id);
}

/** All rows, without what is not compared. */
async function rowsOf({ tables }: Opened, without: readonly string[] = []) {
  const read = IMPORTED.map(async (table) => {
    const rows = await tables.select(table, table === "projects" ? { includeArchived: true } : {}, 1000);
    return [table, rows.map((row) => Object.entries(row).filter(([name]) => !without.includes(name)))] as const;
  });
  return Object.fromEntries(await Promise.all(read));
}

test("a preview writes nothing, and says what is new, what is here and what it looks like", async () => {
  const store = await opened();
  await store.tables.insert("projects", { name: "website" });

  const preview = await store.transfers.read(exported("todoist"), CONTEXT);

  expect(preview.counts).toMatchObject({
    projects: { added: 0, known: 1 },
    tasks: { added: 8, known: 0 },
    taskComments: { added: 1, known: 0 },
  });
  expect(preview.samples.filter(({ table }) => table === "tasks")).toHaveLength(5);
  expect(preview.samples).toContainEqual({
    table: "tasks",
    title: "Choose the photographs, all of them",
    project: "website",
    date: null,
  });
  expect(await store.tables.select("tasks")).toEqual([]);
});

test("an import is one change, which is undone and done again as a whole", async () => {
  const store = await opened();
  const before = await rowsOf(store);
  const { entry, counts } = await imported(store, exported("notion"));
  expect(counts).toMatchObject({ projects: 1, tasks: 3, notes: 3 });
  const after = await rowsOf(store);

  const undone = await store.tables.undo({ call: entry });
  expect(undone.conflicts).toEqual([]);
  expect(await rowsOf(store)).toEqual(before);
  await store.tables.undo({ call: undone.id as string });
  expect(await rowsOf(store)).toEqual(after);
});

test.each(["todoist", "notion", "obsidian", "calendar"])("what %s exported is imported once", async (name) => {
  const store = await opened();
  await imported(store, exported(name));
  const after = await rowsOf(store);

  const again = await store.transfers.read(exported(name), CONTEXT);
  expect(Object.values(again.counts).reduce((sum, { added }) => sum + added, 0)).toBe(0);
  await store.transfers.run(again.id);
  expect(await rowsOf(store)).toEqual(after);
});

test("tasks that a file has twice stay two, and another text makes another note", async () => {
  const store = await opened();
  await store.tables.insert("tasks", { title: "Buy milk" });
  await store.tables.insert("notes", { title: "Roof", content: "Old." });
  const header = "TYPE,CONTENT,PRIORITY,INDENT";
  const files = [
    textFile("Inbox.csv", `${header}\ntask,Buy milk,4,1\ntask,BUY MILK,4,1\n`),
    textFile("Roof.md", "New."),
  ];

  const { counts } = await imported(store, files);

  expect(counts).toMatchObject({ tasks: 1, notes: 1 });
});

test("an import that fails leaves no row and no picture", async () => {
  const store = await opened();
  const preview = await store.transfers.read(exported("obsidian"), CONTEXT);
  store.disk.left = 2;

  await expect(store.transfers.run(preview.id)).rejects.toThrow("Nothing was imported: database or disk is full.");

  store.disk.left = Number.POSITIVE_INFINITY;
  expect(await store.tables.select("notes")).toEqual([]);
  expect(await store.tables.select("projects")).toEqual([]);
  expect(store.pictures.files.size).toBe(0);
  expect((await store.transfers.run(preview.id)).counts.notes).toBe(3);
});

test("a large import says how far it is, and only the latest preview is written", async () => {
  const store = await opened();
  const tasks = Array.from({ length: 600 }, (_none, index) => `task,Task ${index},4,1`).join("\n");
  const first = await store.transfers.read([textFile("Many.csv", `TYPE,CONTENT,PRIORITY,INDENT\n${tasks}`)], CONTEXT);
  const second = await store.transfers.read([textFile("Many.csv", `TYPE,CONTENT,PRIORITY,INDENT\n${tasks}`)], CONTEXT);

  await expect(store.transfers.run(first.id)).rejects.toThrow("Choose the files again: others were chosen since.");
  await store.transfers.run(second.id);

  expect(store.events).toEqual(
    [0, 250, 500].map((done) => ({ type: "progress", work: "importing", done, total: 601 })),
  );
});

/** Rows with everything that makes files difficult. */
async function filled(): Promise<Opened> {
  const store = await opened();
  const { tables, pictures } = store;
  const picture = await pictures.add("a picture");
  const project = await tables.insert("projects", { name: 'Roof: "new" / old?', aiSummary: "- a: b\n---\n# c" });
  const twin = await tables.insert("projects", { name: "Roof- -new- - old-", status: "archived" });
  const task = await tables.insert("tasks", {
    title: "=1+1, [due:: never] \\ <br> `x`",
    projectId: project.id,
    description: "  first\n\n- [ ] box\n- [comment:: no]\n\\- [comment:: no]\n- [ ] Another [due:: 2020-01-01]\n ",
    status: "in_progress",
    priority: "high",
    assignee: JSON.stringify(["Anna, Bea", "Marco [M]"]),
    dueDate: new Date(2026, 2, 29, 17, 5).getTime(),
  });
  await tables.insert("taskComments", { taskId: task.id, author: "An]na", content: "One.\n\n  Two [created:: x]" });
  await tables.insert("taskComments", { taskId: task.id, author: "Marco", content: "'=3" });
  await tables.insert("tasks", {
    title: "Loose",
    description: `As in [[Tasks]]:\n![the plan](attachment:${await pictures.add("a plan")})`,
    status: "done",
    priority: "low",
    dueDate: new Date(2026, 11, 1).getTime(),
  });
  await tables.insert("tasks", { title: "è così\nsu due righe", projectId: twin.id });
  await tables.insert("checkpoints", {
    title: "Text [x] is final",
    projectId: project.id,
    date: new Date(2027, 0, 1).getTime(),
  });
  await tables.insert("checkpoints", {
    title: "Launch",
    projectId: twin.id,
    date: new Date(2027, 0, 1, 9, 30).getTime(),
  });
  await tables.insert("notes", {
    title: "Tiles/Slates: [[which]]?",
    projectId: project.id,
    content: `---\nmine: 1\n---\n\n[[A/B]] ![p](attachment:${picture}) \`attachment:${picture}\`\n\n![gone](attachment:${picture.replace(/^./, "z")})\n`,
  });
  await tables.insert("notes", { title: "tiles/slates- --which--", projectId: project.id, content: "" });
  await tables.insert("notes", { title: "Tasks", content: `no line at the end ![](attachment:${picture})` });
  await tables.insert("notes", { title: "Roof: new", content: "\n\n  spaces  \n\n" });
  return store;
}

async function roundTrip(files: readonly PathFile[]): Promise<Opened> {
  const other = await opened();
  await imported(other, files);
  return other;
}

test("CSV files hold all rows and pictures exactly", async () => {
  const store = await filled();
  const other = await roundTrip([{ path: "adiuva.zip", content: await store.transfers.file("csv") }]);

  expect(await rowsOf(other)).toEqual(await rowsOf(store));
  expect([...other.pictures.files.keys()].sort()).toEqual([...store.pictures.files.keys()].sort());
});

test("a JSON copy is imported exactly, and what is here of it is left alone", async () => {
  const store = await filled();
  const copy = [{ path: "adiuva.zip", content: await store.copies.write() }];
  const other = await roundTrip(copy);

  expect(await rowsOf(other)).toEqual(await rowsOf(store));
  const names = [...store.pictures.files.keys()];
  expect(await Promise.all(names.map((name) => other.pictures.text(name)))).toEqual(["a picture", "a plan"]);
  const { counts } = await imported(store, copy);
  expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(0);
});

test.each(["file", "files"] as const)("a Markdown folder holds the same rows but for their ids (%s)", async (how) => {
  const store = await filled();
  const files =
    how === "files"
      ? await store.transfers.files("markdown")
      : [{ path: "adiuva.zip", content: await store.transfers.file("markdown") }];
  const other = await roundTrip(files);

  expect(await named(other)).toEqual(await named(store));
  expect([...other.pictures.files.keys()].sort()).toEqual([...store.pictures.files.keys()].sort());
});

test("a calendar holds the same tasks and dates, without comments", async () => {
  const store = await filled();
  const other = await roundTrip([{ path: "adiuva.ics", content: await store.transfers.file("calendar") }]);

  const expected = await named(store);
  const { tasks, checkpoints } = await named(other);
  expect({ tasks, checkpoints }).toEqual({ tasks: expected.tasks, checkpoints: expected.checkpoints });
});

/** All rows in an order of their own, with the names of what they refer to instead of ids. */
async function named({ tables }: Opened) {
  const names = new Map<string, string>();
  const projects = await tables.select("projects", { includeArchived: true }, 1000);
  const tasks = await tables.select("tasks", {}, 1000);
  for (const { id, name } of projects) {
    names.set(id, name);
  }
  for (const { id, title } of tasks) {
    names.set(id, title);
  }
  const plain = <Row extends object>(rows: readonly Row[]) =>
    rows
      .map((row) =>
        Object.fromEntries(Object.entries(row).map(([name, value]) => [name, names.get(value as string) ?? value])),
      )
      .map(({ id: _, ...row }) => row)
      .sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
  return {
    projects: plain(projects),
    tasks: plain(tasks),
    checkpoints: plain(await tables.select("checkpoints", {}, 1000)),
    notes: plain(await tables.select("notes", {}, 1000)),
    comments: plain(await tables.select("taskComments", {}, 1000)),
  };
}
