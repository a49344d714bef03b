/** The server's requests to the device: calls, approvals, and storing the ends of jobs. */
import { expect, test } from "vitest";
import type { Answer, JobUpdate, ToolExecutor, Verdict } from "../../src/index.js";
import { end, FakeServer, ID, online, settled } from "./fakes.js";

const CALL = { id: "c", request_id: ID, action: "select", table: "tasks" };

function answering(answer: () => Promise<Answer>): ToolExecutor {
  return { capabilities: [], execute: answer };
}

test.each([
  ["tool_call", "tool_result"],
  ["data_request", "data_response"],
  ["mutation", "data_response"],
])("a %s is answered by a %s", async (type, answer) => {
  const server = new FakeServer();
  await online(server, { executor: answering(async () => ({ rows: [] })) });

  await server.last.say({ ...CALL, type });

  expect(server.last.asked).toEqual([{ type: answer, id: "c", rows: [] }]);
});

test("a device without data says so", async () => {
  const server = new FakeServer();
  await online(server);

  await server.last.say({ ...CALL, type: "tool_call" });

  expect(server.last.asked).toEqual([{ type: "tool_result", id: "c", error: "This device keeps no data." }]);
});

test("an answer that would not fit into a frame becomes an error", async () => {
  const server = new FakeServer();
  const rows = [{ content: "x".repeat(4 * 1024 * 1024) }];
  await online(server, { executor: answering(async () => ({ rows })) });

  await server.last.say({ ...CALL, type: "tool_call" });

  const error = `The answer would be larger than ${4 * 1024 * 1024 - 1024} bytes: ask for less.`;
  expect(server.last.asked).toEqual([{ type: "tool_result", id: "c", error }]);
});

test("an executor that fails has answered all the same, in no words of its own", async () => {
  const server = new FakeServer();
  const fails = answering(() => Promise.reject(new Error("the user's words")));
  await online(server, { executor: fails });

  await server.last.say({ ...CALL, type: "tool_call" });

  const error = "Something went wrong on the device.";
  expect(server.last.asked).toEqual([{ type: "tool_result", id: "c", error }]);
});

test("a long call is answered on the connection that is open by then", async () => {
  const server = new FakeServer();
  let answer: (given: Answer) => void = () => undefined;
  await online(server, { executor: answering(() => new Promise((resolve) => (answer = resolve))) });
  await server.last.say({ ...CALL, type: "tool_call" });
  await server.last.end();
  await server.clock.pass(1000);
  await server.welcome();

  answer({ rows: [] });
  await settled();

  expect(server.last.asked).toEqual([{ type: "tool_result", id: "c", rows: [] }]);
});

/** A user who answers when the test says so. */
class Person {
  readonly asked: string[] = [];
  signal: AbortSignal | undefined;
  answer: (verdict: Verdict | null) => void = () => undefined;

  readonly approve = (request: { id: string }, signal: AbortSignal): Promise<Verdict | null> => {
    this.asked.push(request.id);
    this.signal = signal;
    return new Promise((resolve) => {
      this.answer = resolve;
    });
  };
}

function question(server: FakeServer) {
  const expires = server.clock.time + 300_000;
  const what = { tool: "delete_task", arguments: {}, summary: "Delete?", risk: "destructive" };
  return { type: "approval_request", id: "a", request_id: ID, ...what, expires_at: expires };
}

test.each<[Verdict, object]>([
  [{ approved: true }, { approved: true }],
  [
    { approved: true, remember: true },
    { approved: true, remember: true },
  ],
  [
    { approved: false, reason: "No!" },
    { approved: false, reason: "No!" },
  ],
])("what the user answers goes to the server (%j)", async (verdict, response) => {
  const server = new FakeServer();
  const person = new Person();
  await online(server, { approve: person.approve });
  await server.last.say(question(server));

  person.answer(verdict);
  await settled();

  expect(server.last.asked).toEqual([{ type: "approval_response", id: "a", ...response }]);
});

test("a question that comes again is asked once, and answered where it came last", async () => {
  const server = new FakeServer();
  const person = new Person();
  await online(server, { approve: person.approve });
  const asked = question(server);
  await server.last.say(asked);
  await server.last.end();
  person.answer({ approved: true });
  await server.clock.pass(1000);
  await server.welcome();
  expect(server.last.asked).toEqual([]);

  await server.last.say(asked);

  expect(person.asked).toEqual(["a"]);
  expect(server.last.asked).toEqual([{ type: "approval_response", id: "a", approved: true }]);
});

test("a question that is left open can be asked again", async () => {
  const server = new FakeServer();
  const person = new Person();
  await online(server, { approve: person.approve });
  await server.last.say(question(server));
  person.answer(null);
  await settled();

  await server.last.say(question(server));

  expect(person.asked).toEqual(["a", "a"]);
  expect(server.last.asked).toEqual([]);
});

test("a question or a job's end that cannot be shown comes again", async () => {
  const server = new FakeServer();
  const shown: string[] = [];
  // As functions that are not async do.
  const failing = (what: string) => {
    shown.push(what);
    throw new Error("There is no window.");
  };
  await online(server, {
    approve: () => failing("question"),
    jobs: { note: () => undefined, deliver: () => failing("job") },
  });
  const done = { type: "job_update", job_id: "j", request_id: ID, state: "done" } as const;

  for (let count = 0; count < 2; count += 1) {
    await server.last.say(question(server));
    await server.last.say(done);
  }

  expect(shown).toEqual(["question", "job", "question", "job"]);
  expect(server.last.asked).toEqual([]);
});

test("a question ends with its turn, or when its time is over", async () => {
  for (const over of ["turn", "time"]) {
    const server = new FakeServer();
    const person = new Person();
    await online(server, { approve: person.approve });
    await server.last.say(question(server));

    await (over === "turn" ? server.last.say(end(0)) : server.clock.pass(300_000));

    expect(person.signal?.aborted).toBe(true);
    person.answer({ approved: true });
    await settled();
    expect(server.last.asked).toEqual([]);
  }
});

test("the end of a job is acknowledged once it is stored, and repeated until then", async () => {
  const server = new FakeServer();
  const noted: string[] = [];
  const kept = [false, true];
  await online(server, {
    jobs: {
      note: (update) => noted.push(update.state),
      deliver: async () => kept.shift() ?? false,
    },
  });
  const update = { type: "job_update", job_id: "j", request_id: ID } as const;
  const told = (state: JobUpdate["state"]) => server.last.say({ ...update, state });

  await told("running");
  await told("done");
  expect(server.last.asked).toEqual([]);
  await told("done");

  expect(noted).toEqual(["running", "done", "done"]);
  expect(server.last.asked).toEqual([{ type: "job_ack", job_id: "j" }]);
});
