/** One answer: in order, exactly once, over any number of connections. */
import { expect, test } from "vitest";
import { AnswerLost, ConnectionFailed, RequestRejected } from "../../src/index.js";
import { clientOf, end, FakeServer, ID, online, settled, text } from "./fakes.js";

const LOST = { type: "error", code: "turn_lost", message: "Gone.", request_id: ID, retryable: true };
const TEA = { id: "c1", kind: "preference", text: "tea: Assam", why: ["always"], said_at: null, said_in: null };
const UNKNOWN = { ...LOST, code: "unknown_request" };

test("a turn's frames become events in order", async () => {
  const server = new FakeServer();
  const client = await online(server);
  const turn = client.home({ message: "hello", session_id: "s" }, ID);

  await server.last.say(
    { type: "stream_start", request_id: ID, kind: "home", session_id: "s", seq: 0 },
    { type: "remembered", request_id: ID, items: [TEA], seq: 1 },
    { type: "stream_status", request_id: ID, state: "calling_tool", tool: "list_tasks", seq: 2 },
    text(3, "Good "),
    { type: "stream_block", request_id: ID, block_type: "table", data: { headers: [], rows: [] }, seq: 4 },
    text(5, "day."),
    { ...end(6), usage: { input_tokens: 1, output_tokens: 2 } },
  );

  const events = [];
  for await (const event of turn) {
    events.push(event);
  }
  expect(events).toEqual([
    { type: "start", kind: "home", sessionId: "s" },
    { type: "remembered", items: [TEA] },
    { type: "status", state: "calling_tool", tool: "list_tasks" },
    { type: "text", text: "Good " },
    { type: "block", blockType: "table", data: { headers: [], rows: [] } },
    { type: "text", text: "day." },
    { type: "end", finishReason: "done", mutations: [], usage: { input_tokens: 1, output_tokens: 2 } },
  ]);
  expect([turn.text, turn.lastSeq]).toEqual(["Good day.", 6]);
  expect(server.last.asked).toEqual([{ type: "home_request", message: "hello", session_id: "s", request_id: ID }]);
});

test("the model of the client answers requests that choose none", async () => {
  const server = new FakeServer();
  const client = await online(server, { model: "local" });

  client.home({ message: "hello" });
  client.brief({ model: "large" });
  client.resume(ID);
  client.model = undefined;
  client.home({ message: "hello" });

  expect(server.last.asked.map((frame) => ("model" in frame ? frame.model : undefined))).toEqual([
    "local",
    "large",
    undefined,
    undefined,
  ]);
});

test("the end names the model that has answered in place of another", async () => {
  const server = new FakeServer();
  const turn = (await online(server)).home({ message: "hello" }, ID);

  await server.last.say({ ...end(0), model: "local" });

  expect((await turn.done()).model).toBe("local");
});

test("text is read as it arrives", async () => {
  const server = new FakeServer();
  const client = await online(server);
  const events = client.home({ message: "hello" }, ID)[Symbol.asyncIterator]();

  const first = events.next();
  await server.last.say(text(0, "Good "));

  expect(await first).toEqual({ done: false, value: { type: "text", text: "Good " } });
});

test("several who read get all of it each", async () => {
  const server = new FakeServer();
  const client = await online(server);
  const turn = client.home({ message: "hello" }, ID);
  const read = async () => {
    let said = "";
    for await (const event of turn) {
      said += event.type === "text" ? event.text : "";
    }
    return said;
  };
  const early = read();
  await server.last.say(text(0, "Good "), text(1, "day."), end(2));

  expect([await early, await read()]).toEqual(["Good day.", "Good day."]);
});

test("a request made while offline is sent on the next connection", async () => {
  const server = new FakeServer();
  const client = clientOf(server);
  client.home({ message: "hello" }, ID);
  client.start();

  await server.welcome();

  expect(server.last.asked).toEqual([{ type: "home_request", message: "hello", request_id: ID }]);
});

test("a request without any frame is sent again with its id", async () => {
  const server = new FakeServer();
  const client = await online(server);
  client.brief({ date: "2026-11-24" }, ID);
  const [asked] = server.last.asked;

  await server.last.end();
  await server.clock.pass(1000);
  await server.welcome();

  expect(server.last.asked).toEqual([asked]);
});

test("a turn that has begun is resumed after its last frame", async () => {
  const server = new FakeServer();
  const client = await online(server);
  const turn = client.home({ message: "hello" }, ID);
  await server.last.say(text(0, "Good "), text(1, "day"));

  await server.last.end();
  await server.clock.pass(1000);
  await server.welcome();
  expect(server.last.asked).toEqual([{ type: "resume_request", request_id: ID, after_seq: 1 }]);
  await server.last.say(text(1, "day"), text(2, "."), end(3));

  await turn.done();
  expect(turn.text).toBe("Good day.");
});

test("a turn with a call has begun", async () => {
  const server = new FakeServer();
  const client = await online(server);
  client.home({ message: "hello" }, ID);
  await server.last.say({ type: "tool_call", id: "c", request_id: ID, action: "select", table: "tasks" });

  await server.last.end();
  await server.clock.pass(1000);
  await server.welcome();

  expect(server.last.asked).toEqual([{ type: "resume_request", request_id: ID, after_seq: -1 }]);
});

test("however often an answer is cut, its text is whole", async () => {
  const words = Array.from({ length: 60 }, (_, number) => `word ${number} `);
  const server = new FakeServer();
  const client = await online(server);
  const turn = client.home({ message: "hello" }, ID);
  let sent = 0;
  for (let cut = 0; cut < 19; cut += 1) {
    const known = cut === 0 ? -1 : (server.last.asked[0] as { after_seq: number }).after_seq;
    sent = known + 1 + (cut % 7);
    // Earlier frames are sometimes repeated, as by a server that noticed the loss late.
    const from = Math.max(0, known + 1 - (cut % 3));
    await server.last.say(
      { type: "ping" },
      ...words.slice(from, sent).map((word, at) => text(from + at, word)),
      text(sent, words[sent] ?? ""),
    );
    await server.last.end();
    await server.clock.pass(4000);
    await server.welcome();
  }
  await server.last.say(...words.slice(sent).map((word, at) => text(sent + at, word)), end(words.length));

  await turn.done();
  expect(turn.text).toBe(words.join(""));
});

test("a frame that is missing is asked for once, and what follows waits for it", async () => {
  const server = new FakeServer();
  const client = await online(server);
  const turn = client.home({ message: "hello" }, ID);

  await server.last.say(text(0, "a"), text(2, "c"), text(3, "d"));
  expect(turn.text).toBe("a");
  expect(server.last.asked.slice(1)).toEqual([{ type: "resume_request", request_id: ID, after_seq: 0 }]);
  await server.last.say(text(1, "b"), text(2, "c"), text(3, "d"), end(4));

  await turn.done();
  expect(turn.text).toBe("abcd");
});

test("turns interleave, each in its own order", async () => {
  const server = new FakeServer();
  const client = await online(server);
  const other = "22222222-2222-4222-8222-222222222222";
  const [one, two] = [
    client.home({ message: "a" }, ID),
    client.popup({ message: "b", scope: { type: "tasks" } }, other),
  ];

  await server.last.say(text(0, "a"), { ...text(0, "x"), request_id: other }, text(1, "b"), end(2), {
    ...end(1),
    request_id: other,
  });

  await Promise.all([one.done(), two.done()]);
  expect([one.text, two.text]).toEqual(["ab", "x"]);
});

test("the same id is the same turn", async () => {
  const server = new FakeServer();
  const client = await online(server);

  expect(client.resume(ID)).toBe(client.turn(ID));
  expect(client.home({ message: "hello" }, ID)).toBe(client.turn(ID));
});

test("a request that is not begun is rejected", async () => {
  const server = new FakeServer();
  const client = await online(server);
  const turn = client.home({ message: "hello" }, ID);

  await server.last.say({ type: "error", code: "busy", message: "Too many.", request_id: ID, retryable: true });

  await expect(turn.done()).rejects.toEqual(new RequestRejected("Too many.", "busy", true));
  expect(client.turn(ID)).toBeUndefined();
});

test.each([LOST, UNKNOWN])("an answer that the server no longer has is lost ($code)", async (error) => {
  const server = new FakeServer();
  const client = await online(server);
  const turn = client.home({ message: "hello" }, ID);
  await server.last.say(text(0, "Good "));

  await server.last.say(error);

  await expect(turn.done()).rejects.toBeInstanceOf(AnswerLost);
  expect(turn.text).toBe("Good ");
});

test("an answer that the server cannot look for just now is asked for again, and goes on", async () => {
  const server = new FakeServer();
  const client = await online(server);
  const turn = client.home({ message: "hello" }, ID);
  await server.last.say(text(0, "Good "));
  await server.last.end();
  await server.clock.pass(1000);
  await server.welcome();
  const timers = server.clock.waiting;
  const resume = { type: "resume_request", request_id: ID, after_seq: 0 };
  const error = {
    type: "error",
    code: "internal_error",
    message: "Not now.",
    request_id: ID,
    retryable: true,
  } as const;

  await server.last.say(error);
  expect(server.last.asked).toEqual([resume]);
  await server.clock.pass(2000);
  expect(server.last.asked).toEqual([resume, resume]);
  await server.last.say(text(1, "morning."));
  await server.last.say(end(2));

  expect((await turn.done()).finishReason).toBe("done");
  expect(turn.text).toBe("Good morning.");
  expect(server.clock.waiting).toBe(timers);
});

test("an answer that the server puts off for longer than callers wait is given up", async () => {
  const server = new FakeServer();
  const client = await online(server, { patienceMs: 5000 });
  const turn = client.resume(ID);
  const error = { type: "error", code: "rate_limited", message: "Later.", request_id: ID, retryable: true } as const;

  await server.last.say(error);
  await server.clock.pass(4999);
  await server.last.say(error);
  expect(turn.isOver).toBe(false);
  await server.clock.pass(1);
  await server.last.say(error);

  await expect(turn.done()).rejects.toEqual(new RequestRejected("Later.", "rate_limited", true));
});

test("an error without a request is reported separately", async () => {
  const server = new FakeServer();
  const problems: unknown[] = [];
  await online(server, { onProblem: (problem) => problems.push(problem) });

  await server.last.say(UNKNOWN);

  expect(problems).toEqual([UNKNOWN]);
});

test("cancelling asks the server, which ends the turn", async () => {
  const server = new FakeServer();
  const client = await online(server);
  const turn = client.home({ message: "hello" }, ID);

  turn.cancel();
  turn.cancel();
  expect(server.last.asked.slice(1)).toEqual([{ type: "cancel_request", request_id: ID }]);
  await server.last.say(end(0, "cancelled"));

  expect((await turn.done()).finishReason).toBe("cancelled");
});

test("cancelled while away: asked to stop on the next connection", async () => {
  const server = new FakeServer();
  const client = await online(server);
  const turn = client.home({ message: "hello" }, ID);
  await server.last.say(text(0, "Good "));
  await server.last.end();

  turn.cancel();
  await server.clock.pass(1000);
  await server.welcome();

  expect(server.last.asked).toEqual([
    { type: "cancel_request", request_id: ID },
    { type: "resume_request", request_id: ID, after_seq: 0 },
  ]);
});

test("cancelled before it arrived: it has ended", async () => {
  const server = new FakeServer();
  const client = await online(server);
  const turn = client.home({ message: "hello" }, ID);
  await server.last.end();
  turn.cancel();
  await server.clock.pass(1000);
  await server.welcome();

  await server.last.say(UNKNOWN, UNKNOWN);

  expect((await turn.done()).finishReason).toBe("cancelled");
});

test("cancelled before it was sent: it is never sent", async () => {
  const server = new FakeServer();
  const client = clientOf(server);
  const turn = client.home({ message: "hello" }, ID);
  turn.cancel();
  client.start();
  await server.welcome();

  expect((await turn.done()).finishReason).toBe("cancelled");
  expect(server.last.asked).toEqual([]);
});

test("callers wait for the server only for a limited time", async () => {
  const server = new FakeServer();
  const client = await online(server, { patienceMs: 10_000 });
  const turn = client.home({ message: "hello" }, ID);
  await server.last.end();

  await server.clock.pass(9_999);
  expect(turn.isOver).toBe(false);
  await server.clock.pass(1);

  await expect(turn.done()).rejects.toBeInstanceOf(ConnectionFailed);
  expect(client.state.at).not.toBe("ended");
});

test("patience ends with the connection's return", async () => {
  const server = new FakeServer();
  const client = await online(server, { patienceMs: 10_000 });
  const turn = client.home({ message: "hello" }, ID);
  await server.last.end();
  await server.clock.pass(1000);
  await server.welcome();
  await server.last.say(text(0, "Good "));
  for (let count = 0; count < 3; count += 1) {
    await server.clock.pass(20_000);
    await server.last.say({ type: "ping" });
  }

  expect(turn.isOver).toBe(false);
});

test("a navigation while offline is sent on the next connection, the last of each session", async () => {
  const server = new FakeServer();
  const client = await online(server);
  await server.last.end();
  client.navigate("s", { page: "tasks" });
  client.navigate("s", { page: "notes-list" });

  await server.clock.pass(1000);
  await server.welcome();

  const told = { type: "contextual_scope_update", session_id: "s", scope: { page: "notes-list" } };
  expect(server.last.asked).toEqual([told]);
  await settled();
});
