/** Undoing, compared with a simple model: any changes, by anyone, and a device that is cut off at any point. */
import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import BetterSqlite from "better-sqlite3";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  betterSqlite3,
  Database,
  DrizzleExecutor,
  type SqliteConnection,
  schema,
  Tables,
} from "../../src/database/index.js";
import type { Call, Undone } from "../../src/index.js";
import { countedIds, SetClock } from "./bench.js";
import { tries } from "./effort.js";
import { changesBetween, type Held, JournalModel, type State } from "./journal_model.js";

const TABLES = ["projects", "tasks", "taskComments", "notes"] as const;
type Table = (typeof TABLES)[number];
type Given = Record<string, unknown>;

/** A connection to a file that dies after `left` more statements. */
class MortalConnection implements SqliteConnection {
  left = Number.POSITIVE_INFINITY;
  readonly #file: SqliteConnection;

  constructor(path: string) {
    const database = new BetterSqlite(path);
    this.#file = betterSqlite3(database);
    database.pragma("synchronous = OFF"); // the machine itself is not cut off
  }

  run(...statement: Parameters<SqliteConnection["run"]>): ReturnType<SqliteConnection["run"]> {
    if (this.left <= 0) {
      throw new Error("the device was cut off");
    }
    this.left -= 1;
    return this.#file.run(...statement);
  }

  close(): void {
    void this.#file.close();
  }
}

/** A device whose file is closed, copied and opened again at any time, beside the model. */
class Device {
  readonly model = new JournalModel();
  readonly #folder = mkdtempSync(join(tmpdir(), "undoing-"));
  readonly #clock = new SetClock();
  readonly #newId = countedIds();
  #path = join(this.#folder, "0.sqlite3");
  #copies = 0;
  #calls = 0;
  #connection = new MortalConnection(this.#path);
  #tables: Tables | undefined;

  get tables(): Tables {
    if (this.#tables === undefined) {
      throw new Error("It is not open.");
    }
    return this.#tables;
  }

  async open(): Promise<void> {
    const options = { clock: this.#clock, newId: this.#newId };
    this.#tables = new Tables(await Database.open(this.#connection, options), options);
  }

  async reopen(): Promise<void> {
    this.#connection.close();
    this.#connection = new MortalConnection(this.#path);
    await this.open();
  }

  /** Goes on with the files as they are, without closing them. */
  async kill(): Promise<void> {
    this.#copies += 1;
    const path = join(this.#folder, `${this.#copies}.sqlite3`);
    for (const suffix of ["", "-wal"].filter((each) => existsSync(`${this.#path}${each}`))) {
      copyFileSync(`${this.#path}${suffix}`, `${path}${suffix}`);
    }
    this.#path = path;
    await this.reopen();
  }

  remove(): void {
    this.#connection.close();
    rmSync(this.#folder, { recursive: true });
  }

  async state(): Promise<State> {
    const stored = await this.tables.database.orm.select().from(schema.vectors);
    const vectors = new Map(stored.map(({ id, vector, ...more }) => [id, { ...more, vector: [...vector] }]));
    const held: [string, Held][] = [];
    for (const table of TABLES) {
      for (const row of await this.tables.select(table)) {
        held.push([`${table} ${row.id}`, { row, vector: (table === "notes" ? vectors.get(row.id) : null) ?? null }]);
      }
    }
    return new Map(held);
  }

  /** Makes a call, which is cut off after `cut` statements and comes again, and has it in the model. */
  async call(action: string, { cut = 0, ...fields }: Given & { cut?: number | undefined }): Promise<Given> {
    this.#calls += 1;
    this.#clock.time += 1;
    const id = `c${this.#calls}`;
    const call = { type: "tool_call", id, action, ...fields } as unknown as Call;
    const before = await this.state();
    if (cut > 0) {
      await this.#cutOff(call, cut, before);
    }
    const answer = await new DrizzleExecutor(this.tables).execute(call);
    const after = await this.state();
    // It comes again: after a lost answer, and after a refusal because of its size.
    expect(await new DrizzleExecutor(this.tables).execute(call, { maxBytes: 0 })).toEqual(answer);
    expect(await this.state()).toEqual(after);
    if (action !== "undo") {
      const { by, request_id } = fields as { by: string; request_id: string };
      this.model.add({ call: id, by, request: request_id, changes: changesBetween(before, after), undoes: [] });
    }
    return answer as Given;
  }

  async #cutOff(call: Call, statements: number, before: State): Promise<void> {
    this.#connection.left = statements;
    const answer = await new DrizzleExecutor(this.tables).execute(call);
    await this.kill();
    if ("error" in answer && String(answer.error).includes("cut off")) {
      expect(await this.state()).toEqual(before);
    }
  }

  /** Makes a call whose answer is too large, so that what it did is taken back. */
  async refused(fields: Given): Promise<void> {
    const before = await this.state();
    const call = { type: "tool_call", id: "too large", ...fields } as unknown as Call;
    expect(await new DrizzleExecutor(this.tables).execute(call, { maxBytes: 0 })).toHaveProperty("error");
    expect(await this.state()).toEqual(before);
  }

  async byHand(table: Table, id: string, updates: Given, deletes: boolean): Promise<void> {
    const before = await this.state();
    await this.tables.together(async (rows) => {
      if (!deletes) {
        await rows.update(table, id, updates);
        return;
      }
      await rows.delete(table, id);
      for (const comment of await rows.select("taskComments", {})) {
        await rows.delete("taskComments", String(comment.id));
      }
    });
    const changes = changesBetween(before, await this.state());
    if (changes.size > 0) {
      const call = String((await this.tables.latestEntry())?.id);
      this.model.add({ call, by: "user", request: null, changes, undoes: [] });
    }
  }

  async undo(what: readonly ["call" | "request" | "by", string], isPartial: boolean, cut: number): Promise<void> {
    const before = await this.state();
    const { after, conflicts, undoes } = this.model.undone(what, before, isPartial);
    const named = { [what[0]]: what[1], ...(what[0] === "by" ? { since: 0 } : {}) };
    const answer = await this.call("undo", { cut, by: "undoer", data: { what: named, partial: isPartial } });
    const undo = answer.undo as Omit<Undone, "id">;
    expect(await this.state()).toEqual(after);
    expect(keysOf(undo.conflicts)).toEqual([...conflicts].sort());
    const changes = changesBetween(before, after);
    expect(keysOf(undo.undone)).toEqual([...changes.keys()].sort());
    for (const { table, id, before: was, after: is } of undo.undone) {
      const [one, two] = changes.get(`${table} ${id}`) ?? [];
      expect([was, is]).toEqual([one?.row ?? null, two?.row ?? null]);
    }
    this.model.add({ call: `c${this.#calls}`, by: "undoer", request: null, changes, undoes });
  }
}

function keysOf(rows: readonly { readonly table: string; readonly id: string }[]): string[] {
  return rows.map(({ table, id }) => `${table} ${id}`).sort();
}

const NEEDED: Readonly<Record<Table, Given>> = {
  projects: { name: "House" },
  tasks: { title: "Roof" },
  taskComments: { taskId: "t", author: "Anna", content: "Fine." },
  notes: { title: "Ideas" },
};
const TEXTS = ["Roof", "", "naïve 😀\u0000", "Roof"];

/** Half of them are about what the row points to: one of `keys`, or one that never was. */
function updatesOf(keys: readonly string[], table: Table, second: number, third: number): Given {
  if (table === "projects") {
    return { name: `House ${third % 3}` };
  }
  const target = table === "taskComments" ? "tasks " : "projects ";
  const there = keys.filter((key) => key.startsWith(target)).map((key) => key.slice(target.length));
  if (table === "taskComments") {
    return second % 2 === 1 ? { taskId: pick([...there, "t"], third) } : { content: `text ${third % 3}` };
  }
  const projectId = pick([...there, null, "p"], third);
  if (second % 2 === 1) {
    return { projectId };
  }
  if (table === "notes") {
    return { projectId, content: TEXTS[third % 4] };
  }
  return { dueDate: Number.MAX_SAFE_INTEGER - (third % 2), description: TEXTS[third % 4] };
}

function pick<Value>(values: readonly Value[], number: number): Value | undefined {
  return values[number % values.length];
}

const KINDS = ["insert", "update", "delete", "vector", "hand", "undo", "kill", "reopen", "refused"] as const;
const WEIGHTS = [3, 2, 2, 2, 2, 6, 1, 1, 1];
const NUMBER = fc.nat(11);
const STEP = fc.record({
  kind: fc.oneof(...KINDS.map((kind, at) => ({ arbitrary: fc.constant(kind), weight: WEIGHTS[at] ?? 1 }))),
  first: NUMBER,
  second: NUMBER,
  third: NUMBER,
  /** After how many statements a call is cut off, one in four. */
  cut: fc.oneof({ arbitrary: fc.constant(0), weight: 3 }, { arbitrary: fc.integer({ min: 1, max: 14 }), weight: 1 }),
});
type Step = typeof STEP extends fc.Arbitrary<infer Value> ? Value : never;

async function take(device: Device, { kind, first, second, third, cut }: Step): Promise<void> {
  const keys = [...(await device.state()).keys()].sort();
  const [table = "tasks", id = "nobody"] = (keys[first % keys.length]?.split(" ") ?? []) as [Table?, string?];
  const told = { by: `agent ${third % 2}`, request_id: `r${second % 3}`, cut };
  const updates = updatesOf(keys, table, second, third);
  switch (kind) {
    case "insert": {
      const into = ([...TABLES, "notes"] as const)[first % 5] ?? "notes";
      const data = { ...NEEDED[into], ...updatesOf(keys, into, second, third) };
      await device.call("insert", { table: into, data, ...told });
      return;
    }
    case "update":
      await device.call("update", { table, data: { id, updates }, ...told });
      return;
    case "delete":
      await device.call("delete", { table, data: { id }, ...told });
      return;
    case "vector": {
      const notes = await device.tables.select("notes");
      const note = notes[first % notes.length];
      if (note !== undefined) {
        const data = { id: note.id, projectId: note.projectId, content: note.content };
        await device.call("vector_upsert", { table: "notes", data, vector: [1, third], ...told });
      }
      return;
    }
    case "hand":
      await device.byHand(table, id, updates, third % 3 === 0);
      return;
    case "undo":
      await device.undo(whatOf(device, first, second), third > 6, cut);
      return;
    case "kill":
      await device.kill();
      return;
    case "reopen":
      await device.reopen();
      return;
    default:
      await device.refused({ action: "update", table, data: { id, updates } });
  }
}

/** One entry, a recent one more often than not; those of a request, an agent or the user. */
function whatOf({ model }: Device, first: number, second: number): readonly ["call" | "request" | "by", string] {
  if (first <= 1) {
    return ["request", `r${second % 3}`];
  }
  if (first <= 3) {
    return ["by", ["agent 0", "agent 1", "undoer", "user"][second % 4] ?? "user"];
  }
  const { entries } = model;
  return ["call", entries[entries.length - 1 - (second % Math.min(entries.length, first))]?.call ?? "nobody"];
}

test(
  "undo does what a simple model of the journal says",
  async () => {
    const property = fc.asyncProperty(fc.array(STEP, { minLength: 8, maxLength: 30, size: "max" }), async (steps) => {
      const device = new Device();
      try {
        await device.open();
        for (const step of steps) {
          await take(device, step);
        }
      } finally {
        device.remove();
      }
    });
    // In CI the examples are the same in every run, so that an unrelated change does not fail.
    const seed = process.env.CI === "true" ? { seed: 1 } : {};
    await fc.assert(property, { numRuns: tries(30, { long: 1000 }), ...seed });
  },
  tries(180_000, { long: 1_800_000 }),
);
