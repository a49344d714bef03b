/** Copies of all of a user's data: exported, validated, imported, and everything deleted. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import BetterSqlite from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import {
  AiChat,
  betterSqlite3,
  type Change,
  COPIED,
  type Copy,
  compareRows,
  Database,
  DrizzleExecutor,
  deleteRows,
  exportRows,
  importRows,
  readCopy,
  type SqliteConnection,
  schema,
  Tables,
  writeCopy,
} from "../../src/database/index.js";
import { type Call, CopyRefused, DatabaseFailed } from "../../src/index.js";
import { CONNECTIONS, openTables, SetClock } from "./bench.js";

const DRIVERS = Object.keys(CONNECTIONS);

async function opened(driver = "better-sqlite3", clock = new SetClock()): Promise<Tables> {
  return await openTables(await (CONNECTIONS[driver] ?? expect.fail)(), clock);
}

/** A database with a row in every table, and a conversation of three messages at the same moment. */
async function furnished(driver?: string): Promise<Tables> {
  const clock = new SetClock();
  const tables = await opened(driver, clock);
  const client = await tables.insert("clients", { name: "Città" });
  const project = await tables.insert("projects", { name: "Garden", clientId: client.id, status: "archived" });
  const task = await tables.insert("tasks", { title: "Rosé 🌹", projectId: project.id, assignee: '["Anna"]' });
  await tables.insert("tasks", { title: "Loose", dueDate: 86_400_000 });
  await tables.insert("taskComments", { taskId: task.id, author: "You", content: "Soon" });
  await tables.insert("checkpoints", { projectId: project.id, title: "Launch", date: 5 });
  await tables.insert("notes", { title: "Pond", content: "80 cm", projectId: project.id });
  const chat = new AiChat(tables.database, { clock });
  // A title is cut at its maximum length, perhaps within a surrogate pair.
  const { id } = await chat.createSession("contextual", { title: "What 🌹".slice(0, -1), scope: { page: "tasks" } });
  await chat.appendMessage(id, { role: "user", content: "What is due?", scope: { page: "notes-list" } });
  const answer = { toolCalls: [{ requestId: "r", mutations: [] }], toolResults: [{ type: "text", text: "\ud800" }] };
  await chat.appendMessage(id, { role: "assistant", content: "Nothing.", ...answer });
  await chat.appendMessage(id, { role: "user", content: "" });
  return tables;
}

function told(tables: Tables): Change[] {
  const changes: Change[] = [];
  tables.onChange((change) => changes.push(change));
  return changes;
}

/** The file of `furnished`, as JSON, to be broken. */
async function file(): Promise<{ version: unknown; format: unknown; madeAt: unknown; rows: Record<string, Broken[]> }> {
  return JSON.parse(writeCopy(await exportRows(await furnished())));
}
type Broken = Record<string, unknown>;

function refusal(text: string): string {
  try {
    readCopy(text);
  } catch (error) {
    expect(error).toBeInstanceOf(CopyRefused);
    return (error as Error).message;
  }
  return "";
}

test.each(DRIVERS)("what was copied is there again on another device, in its order (%s)", async (driver) => {
  const tables = await furnished(driver);
  const before = await exportRows(tables);
  const other = await opened(driver);
  const changes = told(other);

  const summary = await importRows(other, readCopy(writeCopy(before)));

  expect(await exportRows(other)).toEqual(before);
  expect(before.madeAt).toBe(1000);
  expect(COPIED.map((name) => before.rows[name].length)).toEqual([2, 1, 1, 1, 1, 1, 1, 3]);
  expect(summary.counts.tasks).toEqual({ rows: 2, replaced: 0 });
  expect(changes).toHaveLength(7);
  expect(changes[0]).toEqual({ action: "insert", table: "tasks", id: before.rows.tasks[0]?.id });
});

test("a copy holds nothing of the device's own", async () => {
  const tables = await furnished();
  await vectorOf(tables, "calls");

  const { rows, ...head } = JSON.parse(writeCopy(await exportRows(tables)));

  expect(head).toEqual({ format: "adiuva-copy", version: 1, madeAt: 1000 });
  expect(Object.keys(rows)).toEqual([...COPIED]);
});

test.each(DRIVERS)("rows of the same id are replaced in their place, and others stay (%s)", async (driver) => {
  const tables = await furnished(driver);
  const copy = await exportRows(tables);
  const [first, second] = copy.rows.tasks;
  await tables.update("tasks", first?.id ?? "", { title: "Changed", assignee: null });
  const added = await tables.insert("tasks", { title: "New" });
  await tables.delete("notes", copy.rows.notes[0]?.id ?? "");
  const changes = told(tables);

  expect((await compareRows(tables, copy)).counts.tasks).toEqual({ rows: 2, replaced: 2 });
  const summary = await importRows(tables, copy);

  expect(summary.counts.notes).toEqual({ rows: 1, replaced: 0 });
  expect(summary.counts.ai_chat_messages).toEqual({ rows: 3, replaced: 3 });
  expect(await tables.select("tasks")).toEqual([first, second, added]);
  expect(changes.filter(({ action }) => action === "insert").map(({ table }) => table)).toEqual(["notes"]);
});

test("comparing changes nothing", async () => {
  const copy = await exportRows(await furnished());
  const tables = await opened();

  await compareRows(tables, copy);

  expect(await tables.select("tasks")).toEqual([]);
});

/** Lets the server write the vector of the only note. */
async function vectorOf(tables: Tables, id: string): Promise<void> {
  const [note] = (await exportRows(tables)).rows.notes;
  const data = { id: note?.id, content: note?.content, projectId: note?.projectId };
  const call = { type: "tool_call", id, request_id: "r", action: "vector_upsert", data, vector: [1, 0] };
  const answer = await new DrizzleExecutor(tables).execute(call as unknown as Call);
  expect(answer).toEqual({ ok: true });
}

test("the vector of a note goes along with it to the copy's project", async () => {
  const tables = await furnished();
  const copy = await exportRows(tables);
  const [note] = copy.rows.notes;
  await vectorOf(tables, "c");
  await tables.update("notes", note?.id ?? "", { projectId: null });

  await importRows(tables, copy);

  expect(await tables.database.orm.select().from(schema.vectors)).toMatchObject([
    { id: note?.id, projectId: note?.projectId, content: "80 cm" },
  ]);
});

test("nothing is written when the last row cannot be", async () => {
  const copy = await exportRows(await furnished());
  const working = betterSqlite3(new BetterSqlite(":memory:"));
  const full: SqliteConnection = {
    ...working,
    run(sql, parameters) {
      if (sql.startsWith('insert into "ai_chat_messages"')) {
        throw new Error("database or disk is full");
      }
      return working.run(sql, parameters);
    },
  };
  const tables = new Tables(await Database.open(full));
  const task = await tables.insert("tasks", { title: "Mine" });
  const changes = told(tables);

  const failure = await importRows(tables, copy).catch((error: unknown) => error);

  expect(failure).toBeInstanceOf(DatabaseFailed);
  // It contains no user text.
  expect((failure as Error).message).toBe("database or disk is full");
  expect((await exportRows(tables)).rows).toMatchObject({ tasks: [task], projects: [], ai_chat_sessions: [] });
  expect(changes).toEqual([]);
});

test.each([
  ["nothing", "", "This file is no copy of Adiuva’s data, or not all of one."],
  ["a picture", "\u0089PNG", "This file is no copy of Adiuva’s data, or not all of one."],
  ["another program's", '{"format": "todo.txt", "version": 1}', "This file is no copy of Adiuva’s data."],
  ["a list", "[1]", "This file is no copy of Adiuva’s data."],
  ["a number", "7", "This file is no copy of Adiuva’s data."],
])("a file that is %s is refused", (_what, text, sentence) => {
  expect(refusal(text)).toBe(sentence);
});

test("a copy that was cut off is refused", async () => {
  const text = JSON.stringify(await file());
  expect(refusal(text.slice(0, -10))).toBe("This file is no copy of Adiuva’s data, or not all of one.");
  expect(refusal(text)).toBe("");
});

test.each([
  [2, "This copy was made by a newer version of Adiuva. Restore it with that one, or bring this one up to date."],
  ["1", 'This copy is broken: there is no version "1".'],
  [0, "This copy is broken: there is no version 0."],
  [undefined, "This copy is broken: there is no version null."],
])("a copy of version %j is refused", async (version, sentence) => {
  expect(refusal(JSON.stringify({ ...(await file()), version }))).toBe(sentence);
});

test.each<[string, (rows: Record<string, Broken[]>) => void, string]>([
  ["a table is missing", (rows) => delete rows.notes, "notes must be a list of rows."],
  ["there is a table too many", own("_device"), 'there is no table "_device".'],
  ["a table has the name of what every object has", own("toString"), 'there is no table "toString".'],
  ["a row is none", (rows) => rows.tasks?.push(null as never), "tasks, row 3: it must be an object."],
  ["a column is missing", (rows) => delete row(rows, "tasks").description, "tasks, row 1: description is missing."],
  ["there is a column too many", set("tasks", "colour", "red"), 'tasks, row 1: there is no column "colour".'],
  ["a title is empty", set("tasks", "title", " "), "tasks, row 1: title must not be empty."],
  [
    "a value is not allowed",
    set("tasks", "status", "later"),
    'tasks, row 1: status must be one of todo, in_progress, done, not "later".',
  ],
  [
    "names are none",
    set("tasks", "assignee", "Anna"),
    'tasks, row 1: assignee must be a JSON array of names, as a string, not "Anna".',
  ],
  [
    "a moment is text",
    set("notes", "updatedAt", "now"),
    'notes, row 1: updatedAt must be a whole number of milliseconds, not "now".',
  ],
  [
    "a flag is true",
    set("checkpoints", "isApproved", true),
    "checkpoints, row 1: isApproved must be 0 or 1, not true.",
  ],
  [
    "what must belong to something does not",
    set("taskComments", "taskId", null),
    "taskComments, row 1: taskId must not be null.",
  ],
  ["there is no id", set("clients", "id", null), "clients, row 1: id must not be null."],
  ["an id is a number", set("clients", "id", 7), "clients, row 1: id must be text, not 7."],
  ["an id comes twice", (rows) => rows.tasks?.push({ ...row(rows, "tasks") }), "tasks, row 3: its id comes twice."],
  [
    "a channel is none",
    set("ai_chat_sessions", "channel", "phone"),
    'ai_chat_sessions, row 1: channel must be one of home, contextual, not "phone".',
  ],
  ["a title is none", set("ai_chat_sessions", "title", null), "ai_chat_sessions, row 1: title must not be null."],
  [
    "a role is none",
    set("ai_chat_messages", "role", "tool"),
    'ai_chat_messages, row 1: role must be one of user, assistant, system, not "tool".',
  ],
  [
    "a scope is text",
    set("ai_chat_messages", "scope", "all"),
    'ai_chat_messages, row 1: scope must be an object or null, not "all".',
  ],
  [
    "a result is none",
    set("ai_chat_messages", "toolResults", [null]),
    "ai_chat_messages, row 1: toolResults must be a list of objects or null, not [null].",
  ],
  [
    "a message has no conversation",
    (rows) => rows.ai_chat_sessions?.pop(),
    "ai_chat_messages, row 1: its conversation is missing.",
  ],
])("a copy is refused when %s", async (_what, breaking, sentence) => {
  const broken = await file();
  breaking(broken.rows);
  expect(refusal(JSON.stringify(broken))).toBe(`This copy is broken: ${sentence}`);
  expect(() => readCopy(JSON.stringify(broken))).toThrow(expect.objectContaining({ detail: sentence }));
});

test("a copy without its moment is refused", async () => {
  const { madeAt: _, ...rest } = await file();
  expect(refusal(JSON.stringify(rest))).toBe(
    "This copy is broken: madeAt must be a whole number of milliseconds, not null.",
  );
});

function row(rows: Record<string, Broken[]>, table: string): Broken {
  return rows[table]?.[0] ?? expect.fail();
}

function set(table: string, column: string, value: unknown): (rows: Record<string, Broken[]>) => void {
  return (rows) => {
    row(rows, table)[column] = value;
  };
}

function own(name: string): (rows: Record<string, Broken[]>) => void {
  return (rows) => void Object.defineProperty(rows, name, { value: [], enumerable: true });
}

test("rows may name others that are not there, as they may in the tables", async () => {
  const tables = await furnished();
  const [project] = (await exportRows(tables)).rows.projects;
  await tables.delete("projects", project?.id ?? "");
  const copy = await exportRows(tables);
  const other = await opened();

  await importRows(other, readCopy(writeCopy(copy)));

  expect((await exportRows(other)).rows).toEqual(copy.rows);
});

test.each(DRIVERS)(
  "10,000 rows are copied and written (%s)",
  async (driver) => {
    const blank = await exportRows(await opened(driver));
    const task = { ...((await exportRows(await furnished())).rows.tasks[0] ?? expect.fail()), projectId: null };
    const many: Copy = {
      ...blank,
      rows: { ...blank.rows, tasks: Array.from({ length: 10_000 }, (_each, index) => ({ ...task, id: `t${index}` })) },
    };
    const tables = await opened(driver);

    await importRows(tables, readCopy(writeCopy(many)));

    expect((await exportRows(tables)).rows).toEqual(many.rows);
  },
  120_000,
);

test.each(DRIVERS)("everything is deleted but the device (%s)", async (driver) => {
  const tables = await furnished(driver);
  const { deviceId } = tables.database;
  await vectorOf(tables, "c");
  const changes = told(tables);

  await deleteRows(tables);

  const { rows } = await exportRows(tables);
  expect(COPIED.map((name) => rows[name].length)).toEqual(COPIED.map(() => 0));
  expect(await tables.database.orm.select().from(schema.vectors)).toEqual([]);
  expect(await tables.history({ day: "1970-01-01" })).toEqual([]);
  expect(changes).toHaveLength(7);
  expect(changes.every(({ action }) => action === "delete")).toBe(true);
  expect(await tables.database.orm.select().from(schema.device)).toEqual([{ id: deviceId }]);
});

test("a call that comes again after everything was deleted does not happen again", async () => {
  const tables = await opened();
  const executor = new DrizzleExecutor(tables);
  const call = { type: "tool_call", id: "c", request_id: "r", action: "insert", table: "tasks" };
  const insert = { ...call, data: { title: "Secret" } } as unknown as Call;
  await executor.execute(insert);
  await deleteRows(tables);

  expect(await executor.execute(insert)).toEqual({
    error: "It was done, and the user has deleted all data on this device since.",
  });
  expect(await tables.select("tasks")).toEqual([]);
});

test("nothing of what was deleted is left in the files", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "adiuva-client-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const tables = await openTables(betterSqlite3(new BetterSqlite(path.join(folder, "data.sqlite3"))));
  const lies = () => readdirSync(folder).some((name) => readFileSync(path.join(folder, name)).includes("Unmistakable"));
  const note = { title: "Pond", content: "Unmistakable ".repeat(2000) };
  const { id } = await tables.insert("notes", note);
  const call = { type: "tool_call", id: "c", request_id: "r", action: "delete", table: "notes", data: { id } };
  await new DrizzleExecutor(tables).execute(call as unknown as Call);
  expect(lies()).toBe(true);

  await deleteRows(tables);

  expect(lies()).toBe(false);
  await tables.database.close();
});
