/** The list of conversations in the store, with an in-memory database. */
import { AiChat, Database, type SqliteWasm, sqliteWasm } from "@adiuva/client/database";
import sqlite3InitModule from "@sqlite.org/sqlite-wasm";
import { expect, test } from "vitest";
import { Chats } from "../src/store/chats";

async function opened() {
  const sqlite3 = await sqlite3InitModule();
  const database = await Database.open(sqliteWasm(new sqlite3.oo1.DB(":memory:") as unknown as SqliteWasm));
  let now = 0;
  const chat = new AiChat(database, { clock: { now: () => ++now } });
  const happened: string[] = [];
  const chats = new Chats(database, ({ type }) => happened.push(type));
  const begun = async (title: string, ...said: string[]) => {
    const { id } = await chat.createSession("home", { title });
    for (const content of said) {
      await chat.appendMessage(id, { role: "user", content });
    }
    return id;
  };
  return { begun, chat, chats, happened };
}

test("conversations are found by all words in any order, with other case and accents, too", async () => {
  const { begun, chats } = await opened();
  await begun("Roses", "When is it time to prune?", "In March, at the café.");
  await begun("Milk", "Prune nothing.");
  const found = async (words: string) => (await chats.list(words, [])).map(({ title, excerpt }) => [title, excerpt]);

  expect(await found("CAFE prune")).toEqual([["Roses", "In March, at the café."]]);
  expect(await found("prune")).toEqual([
    ["Milk", "Prune nothing."],
    ["Roses", "When is it time to prune?"],
  ]);
  expect(await found("roses march")).toEqual([["Roses", ""]]);
  expect(await found("roses nothing")).toEqual([]);
});

test("quotation marks make no difference, in a chat or around the words", async () => {
  const { begun, chats } = await opened();
  await begun("Anna’s “Roof”", "It leaks.");
  const found = async (words: string) => (await chats.list(words, [])).map(({ title }) => title);

  expect([await found("anna's"), await found('"roof" ANNA’S'), await found("«leaks»")]).toEqual(
    Array(3).fill(["Anna’s “Roof”"]),
  );
});

test("pinned conversations come first, and one that asks is marked", async () => {
  const { begun, chat, chats, happened } = await opened();
  const first = await begun("First");
  const second = await begun("Second");
  const asked = await chat.appendMessage(second, { role: "user", content: "Delete it" });
  await chats.pin(first, true);
  await chats.rename(second, "Deleting");

  const listed = await chats.list("", [asked?.id ?? ""]);
  expect(listed.map(({ title, isPinned, isAsking }) => [title, isPinned, isAsking])).toEqual([
    ["First", true, false],
    ["Deleting", false, true],
  ]);
  expect(happened).toEqual(["chats", "chats"]);
});
