/** The client against the real server. */
import { expect, inject, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import {
  type ApprovalRequest,
  browserSockets,
  type JobUpdate,
  RequestRejected,
  type ToolExecutor,
  type Turn,
  type TurnEvent,
  Unauthorized,
} from "../../src/index.js";
import { connected, type Device, newAccount, promised } from "./device.js";

async function device(...given: Parameters<typeof connected>): Promise<Device> {
  const made = await connected(...given);
  onTestFinished(() => made.client.close());
  return made;
}

async function eventsOf(turn: Turn): Promise<TurnEvent[]> {
  const events: TurnEvent[] = [];
  for await (const event of turn) {
    events.push(event);
  }
  return events;
}

test("an answer streams, and its calls are answered from the device's own rows", async () => {
  const { client, tables, welcome } = await device();
  const changed: unknown[] = [];
  tables.onChange((change) => changed.push(change));

  const turn = client.home({ message: "Create a task called “Buy milk” with high priority" });
  const events = await eventsOf(turn);

  const [row] = await tables.select("tasks");
  expect(row).toMatchObject({ title: "Buy milk", priority: "high", status: "todo" });
  expect(events[0]).toMatchObject({ type: "start", kind: "home" });
  expect(events.at(-1)).toMatchObject({
    type: "end",
    finishReason: "done",
    mutations: [{ action: "insert", table: "tasks", id: row?.id }],
  });
  expect(changed).toEqual([{ action: "insert", table: "tasks", id: row?.id }]);
  expect(turn.text).toContain("Buy milk");
  expect(welcome.protocol).toBe(3);
});

test("blocks come whole, with the rows of the device", async () => {
  const { client, tables } = await device();
  await tables.insert("tasks", { title: "Water the roses", priority: "low" });

  const events = await eventsOf(client.home({ message: "all tasks" }));

  const blocks = events.filter((event) => event.type === "block");
  expect(blocks).toMatchObject([{ blockType: "entity_ref", data: { items: [{ title: "Water the roses" }] } }]);
});

test("calls can arrive as separate reads and writes", async () => {
  const kinds = new Set<string>();
  const noting = (inner: ToolExecutor): ToolExecutor => ({
    capabilities: inner.capabilities,
    execute: (call, options) => {
      kinds.add(call.type);
      return inner.execute(call, options);
    },
  });
  const { client, tables } = await device({ dataFrames: true }, { wrap: noting });

  await client.home({ message: "Create a task called “Roof”" }).done();
  await client.home({ message: "all tasks" }).done();

  expect(kinds).toEqual(new Set(["mutation", "data_request"]));
  expect(await tables.select("tasks")).toHaveLength(1);
});

test("a browser sends its token as a subprotocol", async () => {
  const { client } = await device({ sockets: browserSockets(WebSocket) });

  expect((await client.home({ message: "hello" }).done()).finishReason).toBe("done");
});

test("an interrupted answer continues without a lost or duplicated character", async () => {
  const { client, wire, account } = await device();
  wire.framesBeforeCuts.push(1, 1, 1);

  const turn = client.home({ message: "help" });
  await turn.done();

  const other = await device({}, { account });
  const whole = other.client.resume(turn.requestId);
  await whole.done();
  expect(wire.opened).toBe(4);
  expect(turn.text).toBe(whole.text);
  expect(await eventsOf(turn)).toEqual(await eventsOf(whole));
});

test("a call that is cut off is answered once, on the next connection", async () => {
  let cut = (): void => undefined;
  const cutting = (inner: ToolExecutor): ToolExecutor => ({
    capabilities: inner.capabilities,
    execute: async (call, options) => {
      const answer = await inner.execute(call, options);
      if (call.action === "insert") {
        const now = cut;
        cut = () => undefined;
        now();
      }
      return answer;
    },
  });
  const { client, tables, wire } = await device({}, { wrap: cutting });
  cut = () => wire.cut();

  const end = await client.home({ message: "Create a task called “Once”" }).done();

  expect(wire.opened).toBe(2);
  expect(end.mutations).toHaveLength(1);
  expect(await tables.select("tasks")).toHaveLength(1);
});

test("a turn that waits for the device can be cancelled", async () => {
  const asked = promised<void>();
  const silent: ToolExecutor = {
    capabilities: [],
    execute: async () => {
      asked.resolve();
      return await new Promise(() => undefined);
    },
  };
  const { client } = await device({ executor: silent }, { wrap: () => undefined });

  const turn = client.home({ message: "all tasks" });
  await asked.promise;
  turn.cancel();

  expect((await turn.done()).finishReason).toBe("cancelled");
});

test.each([true, false])("a deletion is asked about, and done when it is approved (%s)", async (approved) => {
  const asked: ApprovalRequest[] = [];
  const { client, tables } = await device({
    approve: async (request) => {
      asked.push(request);
      return { approved };
    },
  });
  const { id } = await tables.insert("tasks", { title: "Pay the rent" });

  const end = await client.home({ message: "Delete task “Pay the rent”" }).done();

  expect(asked).toMatchObject([
    { risk: "destructive", preview: { before: { id, title: "Pay the rent" }, after: null } },
  ]);
  expect(await tables.get("tasks", id)).toEqual(approved ? null : expect.objectContaining({ id }));
  expect(end.mutations).toHaveLength(approved ? 1 : 0);
});

test("a job continues beside the conversation, and is reported until its end is stored", async () => {
  const updates: JobUpdate[] = [];
  const told = promised<JobUpdate>();
  const { client, tables, account } = await device({
    jobs: {
      note: (update) => updates.push(update),
      deliver: async (update) => {
        told.resolve(update);
        return true;
      },
    },
  });
  const { id } = await tables.insert("projects", { name: "Garden" });

  await client.home({ message: "summarise the project Garden" }).done();
  const end = await told.promise;

  expect(end.state).toBe("done");
  expect(updates[0]?.job_id).toBe(end.job_id);
  expect((await tables.get("projects", id))?.aiSummary).toEqual(expect.any(String));
  await expect.poll(async () => await stateOf(await account.token("connect"), end.job_id)).toBe("delivered");
});

async function stateOf(access: string, job: string): Promise<unknown> {
  const headers = { Authorization: `Bearer ${access}` };
  const answer = await fetch(new URL(`/api/v1/jobs/${job}`, inject("server")), { headers });
  return ((await answer.json()) as { state: unknown }).state;
}

test("the sidebar answers beside its page, after a navigation too", async () => {
  const { client, tables } = await device();
  const { id } = await tables.insert("projects", { name: "Garden" });
  await tables.insert("tasks", { title: "Water the roses", projectId: id });
  const scope = {
    page: "project",
    entityType: "project",
    entityId: id,
    entityName: "Garden",
    counts: { tasks: 1, notes: 0, milestones: 0 },
  } as const;

  client.navigate("session", scope);
  const turn = client.contextual({ session_id: "session", message: "What is on this page?", scope });
  await turn.done();

  expect(turn.text).toContain("Water the roses");
});

test("a request that the server refuses is rejected with its code", async () => {
  const { client } = await device();

  const rejected = client.resume("00000000-0000-4000-8000-000000000000").done();

  await expect(rejected).rejects.toThrow();
  const invalid = client.home({ message: "" }).done();
  await expect(invalid).rejects.toMatchObject({ code: "invalid" });
  await expect(invalid).rejects.toBeInstanceOf(RequestRejected);
});

test("a token that is refused is renewed once, and then the user must sign in", async () => {
  const account = await newAccount();
  const reasons: string[] = [];
  const { client } = await device({
    token: async (reason) => {
      reasons.push(reason);
      return reason === "connect" ? "expired" : await account.token(reason);
    },
  });
  expect(client.state.at).toBe("online");
  expect(reasons).toEqual(["connect", "refused"]);

  await expect(device({ token: async () => "no token at all" })).rejects.toBeInstanceOf(Unauthorized);
});
