import { AiChat, Database, type SqliteWasm, sqliteWasm } from "@adiuva/client/database";
import sqlite3InitModule from "@sqlite.org/sqlite-wasm";
import { expect, test } from "vitest";
import { confirm, sendOldest, sessionsWaiting, waitAgain } from "../src/store/waiting";

test("waiting questions are sent in order, each at the conversation's end", async () => {
  const sqlite3 = await sqlite3InitModule();
  const database = await Database.open(sqliteWasm(new sqlite3.oo1.DB(":memory:") as unknown as SqliteWasm));
  let now = 0;
  const chat = new AiChat(database, { clock: { now: () => ++now } });
  const { id } = await chat.createSession("home");
  const toolCalls = [{ waiting: true }];
  await chat.appendMessage(id, { role: "user", content: "first", toolCalls });
  await chat.appendMessage(id, { role: "user", content: "second", toolCalls });
  const order = async () => (await chat.getSession(id))?.messages.map(({ content }) => content);
  expect([...(await sessionsWaiting(database))]).toEqual([id]);

  const first = await sendOldest(database, id, 100);
  const sent = [{ waiting: false }];
  expect(first?.question).toMatchObject({ content: "first", toolCalls: sent });
  expect(first?.moved.map(({ content, toolCalls }) => [content, toolCalls])).toEqual([
    ["first", sent],
    ["second", toolCalls],
  ]);
  expect((await waitAgain(database)).map(({ content }) => content)).toEqual(["first"]);
  expect((await sendOldest(database, id, 105))?.question.content).toBe("first");
  await confirm(database, String(first?.question.id));
  expect(await waitAgain(database)).toEqual([]);
  now = 110;
  await chat.appendMessage(id, { role: "assistant", content: "the first answer" });
  const second = await sendOldest(database, id, 120);

  expect(second?.moved.map(({ content }) => content)).toEqual(["second"]);
  expect(await order()).toEqual(["first", "the first answer", "second"]);
  expect(await sendOldest(database, id, 130)).toBeNull();
  expect(await sessionsWaiting(database)).toEqual(new Set());
});
