/** Vectors of notes that a user writes: made after a pause, remade when text or model change, with limited requests. */
import { expect, test, vi } from "vitest";
import { DrizzleExecutor, NoteVectors, schema, type Tables } from "../../src/database/index.js";
import { dropVector } from "../../src/database/vectors.js";
import {
  type Call,
  type ClientState,
  ConnectionFailed,
  type MadeVectors,
  type NoteText,
  RequestRejected,
} from "../../src/index.js";
import { CONNECTIONS, openTables } from "./bench.js";
import { FakeClock, settled } from "./fakes.js";

const PAUSE_MS = 2_000;
const BETWEEN_MS = 1_000;

class Line {
  state: ClientState = { at: "idle" };
  readonly #listeners = new Set<(state: ClientState) => void>();

  onState(listener: (state: ClientState) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async become(state: ClientState): Promise<void> {
    this.state = state;
    for (const listener of [...this.#listeners]) {
      listener(state);
    }
    await settled();
  }

  async online(model = "m"): Promise<void> {
    const welcome = { embedding: { model, dimensions: 2 } };
    await this.become({ at: "online", welcome } as Extract<ClientState, { at: "online" }>);
  }

  async lost(): Promise<void> {
    await this.become({ at: "waiting", until: 0, why: new ConnectionFailed() });
  }
}

class Bench {
  readonly line = new Line();
  readonly vectors: NoteVectors;
  readonly asked: NoteText[][] = [];
  readonly faults: unknown[] = [];
  /** Answers instead of vectors, one per request. */
  readonly troubles: Error[] = [];
  readonly withheld = new Set<string>();
  model = "m";
  /** Called between a request and its answer. */
  meanwhile: () => Promise<unknown> = async () => undefined;

  private constructor(
    readonly tables: Tables,
    readonly clock: FakeClock,
  ) {
    this.vectors = new NoteVectors(tables, {
      embed: async (notes) => await this.#made(notes),
      clock,
      draw: () => 1,
      onFault: (error) => this.faults.push(error),
    });
    this.vectors.follow(this.line);
  }

  static async open(driver = "better-sqlite3"): Promise<Bench> {
    const clock = new FakeClock();
    return new Bench(await openTables(await (CONNECTIONS[driver] ?? expect.fail)(), clock), clock);
  }

  async #made(notes: readonly NoteText[]): Promise<MadeVectors> {
    this.asked.push([...notes]);
    await this.meanwhile();
    const trouble = this.troubles.shift();
    if (trouble !== undefined) {
      throw trouble;
    }
    const vectors = notes.map(({ id, text }) => (this.withheld.has(id) ? null : [text.length, 1]));
    return { model: this.model, vectors };
  }

  /** The texts of each request. */
  get texts(): string[][] {
    return this.asked.map((notes) => notes.map(({ text }) => text));
  }

  async kept(): Promise<Record<string, [string | null, string, string | null]>> {
    const rows = await this.tables.database.orm.select().from(schema.vectors);
    return Object.fromEntries(rows.map((row) => [row.content, [row.projectId, row.id, row.model]]));
  }

  async write(content: string, projectId: string | null = null): Promise<string> {
    return (await this.tables.insert("notes", { title: "New note", content, projectId })).id;
  }
}

test.each(Object.keys(CONNECTIONS))("a note that is written gets its vector after a pause (%s)", async (driver) => {
  const bench = await Bench.open(driver);
  await bench.line.online();
  const id = await bench.write("Milk", "p1");

  await bench.clock.pass(PAUSE_MS - 1);
  expect(bench.asked).toEqual([]);
  await bench.clock.pass(1);
  await expect.poll(() => bench.kept()).toEqual({ Milk: ["p1", id, "m"] });

  expect(bench.asked).toMatchObject([[{ id, projectId: "p1", text: "Milk" }]]);
  await bench.clock.pass(3_600_000);
  expect(bench.asked).toHaveLength(1);
});

test("while the user keeps writing nothing is requested, up to a limit", async () => {
  const bench = await Bench.open();
  await bench.line.online();
  const id = await bench.write("W");
  for (let second = 1; second <= 12; second += 1) {
    await bench.clock.pass(1_000);
    await bench.tables.update("notes", id, { content: "W".repeat(second) });
  }
  expect(bench.asked).toEqual([]);
  for (let second = 1; second <= 12; second += 1) {
    await bench.clock.pass(1_000);
    await bench.tables.update("notes", id, { content: "V".repeat(second) });
  }

  expect(bench.asked).toHaveLength(1);
});

test("a text that changed gets a new vector, and keeps the old one until then", async () => {
  const bench = await Bench.open();
  await bench.line.online();
  const id = await bench.write("Milk");
  await bench.clock.pass(PAUSE_MS);
  bench.troubles.push(new ConnectionFailed());

  await bench.tables.update("notes", id, { content: "Bread" });
  await bench.clock.pass(PAUSE_MS);
  expect(bench.texts).toEqual([["Milk"], ["Bread"]]);
  expect(await bench.kept()).toEqual({ Milk: [null, id, "m"] });
  await bench.clock.pass(10_000);

  expect(await bench.kept()).toEqual({ Bread: [null, id, "m"] });
});

test("what is not of the text changes no vector; a project goes with the note", async () => {
  const bench = await Bench.open();
  await bench.line.online();
  const id = await bench.write("Milk");
  await bench.clock.pass(PAUSE_MS);

  await bench.tables.update("notes", id, { title: "Shopping", projectId: "p2" });
  await bench.clock.pass(60_000);

  expect(bench.asked).toHaveLength(1);
  expect(await bench.kept()).toEqual({ Milk: ["p2", id, "m"] });
});

test("a vector that a tool has sent is not made again", async () => {
  const bench = await Bench.open();
  await bench.line.online();
  const executor = new DrizzleExecutor(bench.tables);
  const call = (action: string, fields: object) =>
    ({ type: "tool_call", id: action, request_id: "r", table: "notes", action, ...fields }) as unknown as Call;

  const { row } = await executor.execute(call("insert", { data: { title: "Ideas", content: "Bread" } }));
  const upsert = call("vector_upsert", { data: { id: row?.id, projectId: null, content: "Bread" }, vector: [1, 0] });
  await executor.execute(upsert, { embeddingModel: "m" });
  await bench.clock.pass(60_000);

  expect(bench.asked).toEqual([]);
  expect(await bench.kept()).toEqual({ Bread: [null, row?.id, "m"] });
});

test("a note that is deleted by hand takes its vector with it", async () => {
  const bench = await Bench.open();
  await bench.line.online();
  const id = await bench.write("Milk");
  await bench.clock.pass(PAUSE_MS);

  await bench.tables.delete("notes", id);

  expect(await bench.kept()).toEqual({});
});

test("a note that is changed or deleted while its vector is made keeps no vector of the old text", async () => {
  const bench = await Bench.open();
  await bench.line.online();
  const changed = await bench.write("Milk");
  const deleted = await bench.write("Gone");
  bench.meanwhile = async () => {
    bench.meanwhile = async () => undefined;
    await bench.tables.update("notes", changed, { content: "Bread" });
    await bench.tables.delete("notes", deleted);
  };
  await bench.clock.pass(PAUSE_MS);
  expect(await bench.kept()).toEqual({});
  await bench.clock.pass(PAUSE_MS);

  expect(await bench.kept()).toEqual({ Bread: [null, changed, "m"] });
});

test("at the start missing vectors are made, in requests that leave room for others", async () => {
  const bench = await Bench.open();
  for (let number = 0; number < 70; number += 1) {
    await bench.write(`Note ${number}`);
  }
  await bench.clock.pass(60_000);
  expect(bench.asked).toEqual([]);

  await bench.line.online();
  await bench.clock.pass(0);
  expect(bench.asked.map((notes) => notes.length)).toEqual([32]);
  await bench.clock.pass(2_000);

  expect(bench.asked.map((notes) => notes.length)).toEqual([32, 32, 6]);
  expect(Object.keys(await bench.kept())).toHaveLength(70);
});

test("a request holds no more bytes than the server takes", async () => {
  const bench = await Bench.open();
  for (let number = 0; number < 10; number += 1) {
    await bench.write(`${number}${"漢".repeat(19_999)}`);
  }
  await bench.line.online();
  await bench.clock.pass(10_000);

  const sizes = bench.asked.map((notes) => new TextEncoder().encode(JSON.stringify(notes.map(({ text }) => text))));
  expect(Math.max(...sizes.map((size) => size.length))).toBeLessThan(256 * 1024);
  expect(bench.asked.map((notes) => notes.length)).toEqual([4, 4, 2]);
});

test("a long text is embedded as far as the server takes it, with no half character, and kept whole", async () => {
  const bench = await Bench.open();
  const content = `${"x".repeat(19_999)}🙂 the end`;
  const id = await bench.write(content);
  await bench.line.online();
  await bench.clock.pass(60_000);

  expect(bench.texts).toEqual([["x".repeat(19_999)]]);
  expect(await bench.kept()).toEqual({ [content]: [null, id, "m"] });
});

test.each(["", " \n\u00a0\ufeff"])(
  "a note that says nothing (%j) gets no vector, and loses the one it had",
  async (nothing) => {
    const bench = await Bench.open();
    await bench.line.online();
    await bench.write(nothing);
    const id = await bench.write("Milk");
    await bench.clock.pass(PAUSE_MS);
    await bench.tables.update("notes", id, { content: nothing });
    await bench.clock.pass(60_000);

    expect(bench.texts).toEqual([["Milk"]]);
    expect(await bench.kept()).toEqual({});
  },
);

test("another model makes all vectors anew, and those of the old one are not searched", async () => {
  const bench = await Bench.open();
  await bench.line.online("m");
  const id = await bench.write("Milk");
  await bench.clock.pass(PAUSE_MS);
  await bench.line.lost();
  const executor = new DrizzleExecutor(bench.tables);
  const search = { type: "tool_call", id: "s", request_id: "r", table: "notes", action: "vector_search" };
  const found = async (embeddingModel: string) =>
    await executor.execute({ ...search, vector: [4, 1] } as unknown as Call, { embeddingModel, maxBytes: 10_000 });

  expect(await found("m")).toMatchObject({ results: [{ id }] });
  expect(await found("new")).toEqual({ results: [] });
  bench.model = "new";
  await bench.line.online("new");
  await bench.clock.pass(0);

  expect(await found("new")).toMatchObject({ results: [{ id }] });
  expect(await bench.kept()).toEqual({ Milk: [null, id, "new"] });
});

test("an answer of another model than the welcome named is not kept", async () => {
  const bench = await Bench.open();
  bench.model = "new";
  await bench.line.online("m");
  await bench.write("Milk");
  await bench.clock.pass(PAUSE_MS);
  expect(await bench.kept()).toEqual({});

  await bench.line.online("new");
  await bench.clock.pass(0);
  expect(Object.keys(await bench.kept())).toEqual(["Milk"]);
});

test("what is refused is not asked for again before it changes or is reconsidered", async () => {
  const bench = await Bench.open();
  await bench.line.online();
  const id = await bench.write("Secret", "p1");
  const other = await bench.write("Milk");
  bench.withheld.add(id);
  await bench.clock.pass(3_600_000);
  await bench.line.lost();
  await bench.line.online();
  await bench.clock.pass(3_600_000);
  expect(bench.asked).toHaveLength(1);
  expect(await bench.kept()).toEqual({ Milk: [null, other, "m"] });

  await bench.tables.update("notes", id, { content: "Secrets" });
  await bench.clock.pass(PAUSE_MS);
  expect(bench.texts.slice(1)).toEqual([["Secrets"]]);
  bench.withheld.clear();
  bench.vectors.reconsider();
  await bench.clock.pass(BETWEEN_MS);

  expect(bench.texts.slice(2)).toEqual([["Secrets"]]);
  expect(Object.keys(await bench.kept()).sort()).toEqual(["Milk", "Secrets"]);
});

test("a refusal that comes when marks have changed already does not count", async () => {
  const bench = await Bench.open();
  await bench.line.online();
  bench.withheld.add(await bench.write("Secret"));
  bench.meanwhile = async () => bench.vectors.reconsider();
  await bench.clock.pass(PAUSE_MS);
  bench.withheld.clear();
  bench.meanwhile = async () => undefined;
  await bench.clock.pass(BETWEEN_MS);

  expect(Object.keys(await bench.kept())).toEqual(["Secret"]);
});

test("texts that the server does not take are not sent a second time", async () => {
  const bench = await Bench.open();
  bench.troubles.push(new RequestRejected("The request is not valid.", "invalid"));
  await bench.line.online();
  await bench.write("Milk");
  await bench.clock.pass(3_600_000);

  expect(bench.asked).toHaveLength(1);
});

test("errors are retried after growing pauses, which a change does not shorten", async () => {
  const bench = await Bench.open();
  bench.troubles.push(...Array.from({ length: 4 }, () => new ConnectionFailed()));
  await bench.line.online();
  const id = await bench.write("Milk");
  await bench.clock.pass(PAUSE_MS);
  const counts: number[] = [];
  for (const pause of [3_000, 5_000, 9_000]) {
    await bench.tables.update("notes", id, { title: `After ${pause}` });
    await bench.clock.pass(pause - 1);
    counts.push(bench.asked.length);
    await bench.clock.pass(1);
    counts.push(bench.asked.length);
  }

  expect(counts).toEqual([1, 2, 2, 3, 3, 4]);
  await bench.clock.pass(17_000);
  expect(Object.keys(await bench.kept())).toEqual(["Milk"]);
  expect(bench.faults).toEqual([]);
});

test("an unexpected error is reported, and tried again", async () => {
  const bench = await Bench.open();
  const fault = new Error("Never seen.");
  bench.troubles.push(fault);
  await bench.line.online();
  await bench.write("Milk");
  await bench.clock.pass(10_000);

  expect(bench.faults).toEqual([fault]);
  expect(Object.keys(await bench.kept())).toEqual(["Milk"]);
});

test("a note that is written while others are embedded is not forgotten", async () => {
  const bench = await Bench.open();
  await bench.line.online();
  await bench.write("First");
  bench.meanwhile = async () => {
    bench.meanwhile = async () => undefined;
    await bench.write("Second");
  };
  await bench.clock.pass(10_000);

  expect(bench.texts).toEqual([["First"], ["Second"]]);
});

test("a note that is written while others are looked at is not forgotten", async () => {
  const bench = await Bench.open();
  await bench.write("");
  let go = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    go = resolve;
  });
  await bench.line.online();
  vi.spyOn(bench.tables.database, "transaction").mockImplementationOnce(async () => (await held) as never);
  await bench.clock.pass(0);
  await bench.write("Milk");
  await bench.clock.pass(PAUSE_MS);
  expect(bench.asked).toEqual([]);

  go();
  await settled();
  await bench.clock.pass(BETWEEN_MS);
  expect(bench.texts).toEqual([["Milk"]]);
});

test("without a connection nothing is asked, and when it is closed nothing is kept", async () => {
  const bench = await Bench.open();
  await bench.line.online();
  await bench.write("Milk");
  await bench.line.lost();
  await bench.clock.pass(60_000);
  expect(bench.asked).toEqual([]);

  bench.meanwhile = async () => bench.vectors.close();
  await bench.line.online();
  await bench.clock.pass(60_000);
  await bench.write("Bread");
  await bench.clock.pass(60_000);

  expect(bench.texts).toEqual([["Milk"]]);
  expect(await bench.kept()).toEqual({});
  expect(bench.clock.waiting).toBe(0);
});

test("a vector that is gone is made again at the next start", async () => {
  const bench = await Bench.open();
  await bench.line.online();
  const id = await bench.write("Milk");
  await bench.clock.pass(PAUSE_MS);
  await dropVector(bench.tables.database.orm, id);

  await bench.line.lost();
  await bench.line.online();
  await bench.clock.pass(BETWEEN_MS);

  expect(bench.texts).toEqual([["Milk"], ["Milk"]]);
});
