/** Questions over connections that may be dead. */
import { AdiuvaClient, type ClientFrame, type Clock, type SocketListener } from "@adiuva/client";
import { AiChat, Database, type SqliteWasm, sqliteWasm } from "@adiuva/client/database";
import sqlite3InitModule from "@sqlite.org/sqlite-wasm";
import { expect, test, vi } from "vitest";
import { isWaiting } from "../src/chat/parts";
import { AskedPictures } from "../src/store/asked_pictures";
import { Conversations } from "../src/store/conversations";
import { sessionsUnanswered } from "../src/store/waiting";
import { keptPictures } from "./pictures";

const QUESTION = { channel: "home", sessionId: null, message: "What is due?", scope: null } as const;
const WELCOME = {
  type: "device_welcome",
  connection_id: "c",
  server_time: 0,
  protocol: 3,
  heartbeat_s: 30,
  limits: { max_frame_bytes: 4_194_304, max_concurrent_requests: 8 },
  embedding: { model: "m", dimensions: 2 },
  running: [],
};

/** One connection as the server sees it: it stores what it gets. */
class Connection {
  readonly got: ClientFrame[] = [];

  constructor(readonly device: SocketListener) {}

  get asked(): ClientFrame[] {
    return this.got.filter(({ type }) => type !== "device_hello");
  }

  say(frame: object): void {
    this.device.received(JSON.stringify(frame));
  }

  answer(requestId: string): void {
    this.say({ type: "stream_start", request_id: requestId, kind: "home", seq: 0 });
    this.say({ type: "stream_text", request_id: requestId, chunk: "Nothing.", seq: 1 });
    this.say({ type: "stream_end", request_id: requestId, finish_reason: "done", mutations: [], seq: 2 });
  }
}

/** Copies of pictures, and the server, which names what it is given by numbers. */
function pictures() {
  const kept = keptPictures();
  const copies = kept.files;
  const uploads: Blob[] = [];
  const asked = new AskedPictures(
    { ...kept, shrink: async () => undefined, deleteAll: async () => copies.clear() },
    async (picture) => ({ id: `i${uploads.push(picture)}`, width: 1, height: 1, expiresAt: 0 }),
  );
  return { asked, copies, uploads };
}

/** A browser that keeps `database` and has just connected. */
async function opened(database: Database, asked = pictures().asked) {
  const connections: Connection[] = [];
  const timers: { ms: number; act: () => void }[] = [];
  const clock: Clock = {
    now: () => 0,
    after: (ms, act) => {
      timers.push({ ms, act });
      return () => undefined;
    },
  };
  const client = new AdiuvaClient({
    server: "https://adiuva.example",
    sockets: (_address, _token, device) => {
      const connection = new Connection(device);
      connections.push(connection);
      return { send: (text) => void connection.got.push(JSON.parse(text)), close: () => undefined };
    },
    token: async () => "token",
    device: { id: "laptop" },
    clock,
    patienceMs: 1,
  });
  const conversations = new Conversations({
    database,
    pictures: asked,
    client: () => client,
    tell: () => undefined,
    isOnline: () => client.state.at === "online",
  });
  client.onState(({ at }) => at === "online" && void conversations.sendWaiting());
  const welcome = async () => {
    await vi.waitFor(() => expect(client.state.at).toBe("connecting"));
    await vi.waitFor(() => expect(connections).not.toHaveLength(0));
    const connection = connections.at(-1) as Connection;
    connection.device.opened();
    connection.say(WELCOME);
    return connection;
  };
  await conversations.recover();
  client.start();
  await conversations.resume(0);
  /** The pause before the next connection, or the patience with it, is over. */
  const elapse = (ms: number) => timers.findLast((timer) => timer.ms === ms)?.act();
  return { conversations, connection: await welcome(), elapse };
}

async function stored() {
  const sqlite3 = await sqlite3InitModule();
  const database = await Database.open(sqliteWasm(new sqlite3.oo1.DB(":memory:") as unknown as SqliteWasm));
  const messages = async () => {
    const [session] = await new AiChat(database).listSessions("home");
    return (session && (await new AiChat(database).getSession(session.id))?.messages) ?? [];
  };
  return { database, messages };
}

test("a question that was sent over a dead connection is sent again with its id after a reload", async () => {
  const { database, messages } = await stored();
  const first = await opened(database);
  await first.conversations.ask(QUESTION);
  const [lost] = first.connection.asked;

  const { connection } = await opened(database);
  await vi.waitFor(() => expect(connection.asked).toEqual([lost]));
  connection.answer((lost as { request_id: string }).request_id);
  await vi.waitFor(async () =>
    expect((await messages()).map(({ content }) => content)).toEqual(["What is due?", "Nothing."]),
  );
});

test("a question that the server has begun to answer is resumed and not sent again", async () => {
  const { database, messages } = await stored();
  const first = await opened(database);
  await first.conversations.ask(QUESTION);
  const [sent] = first.connection.asked as { request_id: string }[];
  first.connection.say({ type: "stream_start", request_id: sent?.request_id, kind: "home", seq: 0 });
  await vi.waitFor(async () => expect((await messages())[0]?.toolCalls).toBeNull());

  const { connection } = await opened(database);
  await vi.waitFor(() =>
    expect(connection.asked).toEqual([{ type: "resume_request", request_id: sent?.request_id, after_seq: -1 }]),
  );
});

test("each question of a conversation that has no answer is resumed", async () => {
  const { database, messages } = await stored();
  const first = await opened(database);
  const sessionId = await first.conversations.ask(QUESTION);
  await first.conversations.ask({ ...QUESTION, sessionId, message: "And tomorrow?" });
  await first.conversations.ask({ ...QUESTION, sessionId, message: "And on Sunday?" });
  const [answered, ...others] = (first.connection.asked as { request_id: string }[]).map(
    ({ request_id }) => request_id,
  );
  for (const request_id of others) {
    first.connection.say({ type: "stream_start", request_id, kind: "home", seq: 0 });
  }
  first.connection.answer(answered ?? "");
  await vi.waitFor(async () => {
    expect((await messages()).map(({ role }) => role)).toEqual(["user", "user", "user", "assistant"]);
    expect((await messages()).slice(0, 3).map(({ toolCalls }) => toolCalls)).toEqual([null, null, null]);
  });

  const { connection } = await opened(database);
  await vi.waitFor(() =>
    expect(connection.asked).toEqual(
      others.map((request_id) => ({ type: "resume_request", request_id, after_seq: -1 })),
    ),
  );
});

test("a question whose answer names no request is not resumed", async () => {
  const { database, messages } = await stored();
  const chat = new AiChat(database);
  const { id } = await chat.createSession("home");
  await chat.appendMessage(id, { role: "user", content: "What is due?" });
  await chat.appendMessage(id, { role: "assistant", content: "Nothing." });

  const { conversations, connection } = await opened(database);
  await conversations.resume(Number.MAX_SAFE_INTEGER);

  expect([connection.asked, (await messages()).length]).toEqual([[], 2]);
});

test("a question that the server had with another history is resumed", async () => {
  const { database, messages } = await stored();
  const first = await opened(database);
  await first.conversations.ask(QUESTION);

  const { connection } = await opened(database);
  await vi.waitFor(() => expect(connection.asked).toHaveLength(1));
  const { request_id } = connection.asked[0] as { request_id: string };
  connection.say({ type: "error", request_id, code: "request_id_reused", message: "Reused.", retryable: false });
  await vi.waitFor(() =>
    expect(connection.asked.at(-1)).toEqual({ type: "resume_request", request_id, after_seq: -1 }),
  );
  connection.answer(request_id);
  await vi.waitFor(async () => expect((await messages()).at(-1)?.content).toBe("Nothing."));
});

test("a question waits again when the connection that it was sent over does not come back", async () => {
  const { database, messages } = await stored();
  const { conversations, connection, elapse } = await opened(database);
  await conversations.ask(QUESTION);
  connection.device.closed(1006);
  elapse(1);
  await vi.waitFor(async () => expect((await messages()).map(isWaiting)).toEqual([true]));
});

test("a question that the user has stopped is not sent again", async () => {
  const { database, messages } = await stored();
  const { conversations, connection } = await opened(database);
  await conversations.ask(QUESTION);
  const { request_id } = connection.asked[0] as { request_id: string };
  await conversations.stop(request_id);
  expect((await messages()).map(({ toolCalls }) => toolCalls)).toEqual([null]);
});

const REMEMBERED = { at: 0, reason: "meaning", score: 0.5, said_in: null };
const DOCTOR = { ...REMEMBERED, kind: "fact", id: "f1", text: "My doctor is Dr Rossi." } as const;
const DIET = { ...REMEMBERED, kind: "fact", id: "f2", text: "No meat." } as const;
const REVISED = [
  { ...DOCTOR, text: "", since: "forgotten" },
  { ...DIET, text: "No fish.", since: "corrected" },
];

/** The server says what it remembers for its answer to a request, and the page shows it. */
async function remember(
  { connection, conversations }: Awaited<ReturnType<typeof opened>>,
  request_id: string,
  session: string,
) {
  connection.say({ type: "stream_start", request_id, kind: "home", seq: 0 });
  connection.say({ type: "remembered", request_id, seq: 1, items: [DOCTOR, DIET] });
  await vi.waitFor(async () => expect((await conversations.open(session, 9))?.live[0]?.remembered).toHaveLength(2));
}

test("what is corrected or forgotten while an answer is written is not stored with it as it was", async () => {
  const { database, messages } = await stored();
  const browser = await opened(database);
  const { conversations, connection } = browser;
  const session = await conversations.ask(QUESTION);
  const { request_id } = connection.asked[0] as { request_id: string };
  await remember(browser, request_id, session);

  await conversations.noteForgotten(DOCTOR);
  await conversations.noteCorrected(DIET, "No fish.");

  expect((await conversations.open(session, 9))?.live).toMatchObject([{ remembered: REVISED }]);
  connection.say({ type: "stream_end", request_id, finish_reason: "done", mutations: [], seq: 2 });
  await vi.waitFor(async () => expect((await messages()).at(-1)?.toolCalls).toMatchObject([{ remembered: REVISED }]));
});

test("what was corrected or forgotten before a reload is so in the answer that is resumed", async () => {
  const { database, messages } = await stored();
  const first = await opened(database);
  const session = await first.conversations.ask({ ...QUESTION, pictures: [{ id: "p1", name: "pond.png" }] });
  const { request_id } = first.connection.asked[0] as { request_id: string };
  await remember(first, request_id, session);
  await first.conversations.noteForgotten(DOCTOR);
  await first.conversations.noteCorrected(DIET, "No fish.");
  expect(JSON.stringify(await messages())).not.toContain("Rossi");

  const second = await opened(database);
  await vi.waitFor(() => expect(second.connection.asked).toHaveLength(1));
  await remember(second, request_id, session);

  expect((await second.conversations.open(session, 9))?.live).toMatchObject([{ remembered: REVISED }]);
  second.connection.say({ type: "stream_end", request_id, finish_reason: "done", mutations: [], seq: 2 });
  await vi.waitFor(async () => {
    const [question, answer] = await messages();
    expect(answer?.toolCalls).toMatchObject([{ remembered: REVISED }]);
    expect(question?.toolResults).toEqual([{ type: "picture", id: "p1", name: "pond.png" }]);
  });
});

test("answers in progress are resumed in each of many conversations", async () => {
  const { database } = await stored();
  const first = await opened(database);
  for (let asked = 0; asked < 7; asked += 1) {
    await first.conversations.ask(QUESTION);
  }
  const ids = (first.connection.asked as { request_id: string }[]).map(({ request_id }) => request_id);
  for (const request_id of ids) {
    first.connection.say({ type: "stream_start", request_id, kind: "home", seq: 0 });
  }
  await vi.waitFor(async () => expect([...(await sessionsUnanswered(database))]).toHaveLength(ids.length));

  const { connection } = await opened(database);
  await vi.waitFor(() => expect(connection.asked.map(({ type }) => type)).toEqual(ids.map(() => "resume_request")));
  expect(new Set((connection.asked as { request_id: string }[]).map(({ request_id }) => request_id))).toEqual(
    new Set(ids),
  );
});

/** A question that has its answer, and what goes along with it. */
async function answered(along: object, { asked }: { asked: AskedPictures }) {
  const { database, messages } = await stored();
  const browser = await opened(database, asked);
  const sessionId = await browser.conversations.ask({ ...QUESTION, ...along });
  browser.connection.answer((browser.connection.asked[0] as { request_id: string }).request_id);
  await vi.waitFor(async () => expect(await messages()).toHaveLength(2));
  const again = (await messages())[0]?.id as string;
  return { ...browser, messages, question: { ...QUESTION, sessionId, again } };
}

test("a question that is asked again has its pictures, as does the same in other words", async () => {
  const { asked, copies, uploads } = pictures();
  const pond = new Blob(["pond"], { type: "image/png" });
  const along = { pictures: [{ id: await asked.give(pond), name: "pond.png" }] };
  const { conversations, connection, messages, question } = await answered(along, { asked });

  await conversations.ask(question);
  expect(connection.asked.at(-1)).toMatchObject({ message: "What is due?", images: ["i2"] });
  const [repeated] = await messages();
  await conversations.ask({ ...question, message: "What is it?", again: repeated?.id as string });

  expect(connection.asked.at(-1)).toMatchObject({ message: "What is it?", images: ["i3"] });
  expect(await Promise.all(uploads.map((each) => each.text()))).toEqual(["pond", "pond", "pond"]);
  expect([...copies.keys()]).toEqual(["i3.png"]);
  await conversations.delete(question.sessionId);
  expect(copies.size).toBe(0);
});

test("a question whose picture is not kept any more stays with its answer when it is asked again", async () => {
  const { asked, copies } = pictures();
  const along = { pictures: [{ id: await asked.give(new Blob(["p"], { type: "image/png" })), name: "pond.png" }] };
  const { conversations, messages, question } = await answered(along, { asked });
  copies.clear();

  await expect(conversations.ask(question)).rejects.toThrow("The picture pond.png is not kept any more");

  expect((await messages()).map(({ content }) => content)).toEqual(["What is due?", "Nothing."]);
});

test("a brief that is asked again is a brief, of the chosen model, and in other words a question", async () => {
  const brief = { of: "task", taskId: "t1" } as const;
  const { conversations, connection, messages, question } = await answered({ brief }, pictures());

  await conversations.ask({ ...question, model: "large" });
  expect(connection.asked.at(-1)).toMatchObject({ type: "task_brief_request", task_id: "t1", model: "large" });
  await conversations.ask({ ...question, message: "Why?", again: (await messages())[0]?.id as string });

  expect(connection.asked.at(-1)).toMatchObject({ type: "home_request", message: "Why?" });
});
