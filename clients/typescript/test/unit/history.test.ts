/** Conversations on the device. */
import { expect, test } from "vitest";
import { AiChat, Pins, ShownJobs, type Tables } from "../../src/database/index.js";
import { CONNECTIONS, countedIds, openTables, SetClock } from "./bench.js";

const DRIVERS = Object.keys(CONNECTIONS);

async function opened(driver: string): Promise<{ chat: AiChat; clock: SetClock; tables: Tables }> {
  const clock = new SetClock();
  const tables = await openTables(await (CONNECTIONS[driver] ?? expect.fail)(), clock);
  return { chat: new AiChat(tables.database, { clock, newId: countedIds() }), clock, tables };
}

test.each(DRIVERS)("a conversation is kept with its messages in order (%s)", async (driver) => {
  const { chat, clock } = await opened(driver);
  const scope = { page: "tasks", entityType: null };
  const session = await chat.createSession("contextual", { title: "Tasks" });
  const asked = await chat.appendMessage(session.id, { role: "user", content: "What is due?", scope });
  clock.time += 5;
  const answered = await chat.appendMessage(session.id, {
    role: "assistant",
    content: "",
    toolCalls: [{ name: "list_tasks" }],
    toolResults: [{ blocks: [] }],
  });

  expect(await chat.getSession(session.id)).toEqual({
    ...session,
    updatedAt: 1005,
    lastScope: scope,
    messages: [asked, answered],
  });
  expect(answered).toMatchObject({ toolCalls: [{ name: "list_tasks" }], scope: null, createdAt: 1005 });
});

test.each(DRIVERS)("conversations are listed by channel, the one spoken in last first (%s)", async (driver) => {
  const { chat, clock } = await opened(driver);
  const first = await chat.createSession("home");
  const second = await chat.createSession("home");
  await chat.createSession("contextual");
  clock.time += 1;
  await chat.appendMessage(first.id, { role: "user", content: "hello" });

  expect((await chat.listSessions("home")).map((each) => each.id)).toEqual([first.id, second.id]);
  expect(await chat.listSessions("home", 1)).toHaveLength(1);
});

test.each(DRIVERS)("a deleted conversation takes its messages along (%s)", async (driver) => {
  const { chat, tables } = await opened(driver);
  const session = await chat.createSession("home");
  await chat.renameSession(session.id, "Hello");
  await chat.appendMessage(session.id, { role: "user", content: "hello" });

  expect(await chat.deleteSession(session.id)).toBe(true);
  expect(await chat.deleteSession(session.id)).toBe(false);
  expect(await chat.getSession(session.id)).toBeNull();
  expect(await tables.database.orm.query.aiChatMessages.findMany()).toEqual([]);
});

test.each(DRIVERS)("a message is deleted with all that followed in its conversation (%s)", async (driver) => {
  const { chat } = await opened(driver);
  const [session, other] = [await chat.createSession("home"), await chat.createSession("home")];
  const said = async (id: string, content: string) =>
    (await chat.appendMessage(id, { role: "user", content })) ?? expect.fail();
  const first = await said(session.id, "one");
  const second = await said(session.id, "two");
  const elsewhere = await said(other.id, "elsewhere");
  await said(session.id, "three");

  expect(await chat.deleteFrom(session.id, elsewhere.id)).toBe(false);
  expect(await chat.deleteFrom(session.id, second.id)).toBe(true);
  expect((await chat.getSession(session.id))?.messages).toEqual([first]);
  expect((await chat.getSession(other.id))?.messages).toEqual([elsewhere]);
});

test.each(DRIVERS)("what is pinned is there until it is unpinned or deleted (%s)", async (driver) => {
  const { chat, clock, tables } = await opened(driver);
  const pins = new Pins(tables.database, { clock });
  const session = await chat.createSession("home");
  const answers = [];
  for (const content of ["one", "two"]) {
    const answer = (await chat.appendMessage(session.id, { role: "assistant", content })) ?? expect.fail();
    answers.push(answer);
    clock.time += 1;
    await pins.set(answer.id, true);
    await pins.set(answer.id, true);
  }
  await pins.set(session.id, true);

  expect(await pins.answers()).toEqual([...answers].reverse());
  expect(await pins.sessions()).toEqual([session.id]);
  await pins.set(answers[0]?.id ?? "", false);
  expect(await pins.answers()).toEqual([answers[1]]);
  await chat.deleteSession(session.id);
  expect([await pins.answers(), await pins.sessions()]).toEqual([[], []]);
});

test.each(DRIVERS)("nothing is said in a conversation that is not there (%s)", async (driver) => {
  const { chat, tables } = await opened(driver);

  expect(await chat.appendMessage("nowhere", { role: "user", content: "hello" })).toBeNull();
  expect(await tables.database.orm.query.aiChatMessages.findMany()).toEqual([]);
});

test("a job that was shown is remembered", async () => {
  const { tables } = await opened("better-sqlite3");
  const shown = new ShownJobs(tables.database);
  await shown.add("j");
  await shown.add("j");

  expect([await shown.has("j"), await shown.has("k")]).toEqual([true, false]);
});
