import { Database, type SqliteWasm, sqliteWasm, Tables } from "@adiuva/client/database";
import sqlite3InitModule from "@sqlite.org/sqlite-wasm";
import { expect, test } from "vitest";
import { insertExamples } from "../src/store/examples";

async function newTables(): Promise<Tables> {
  const sqlite3 = await sqlite3InitModule();
  const database = await Database.open(sqliteWasm(new sqlite3.oo1.DB(":memory:") as unknown as SqliteWasm));
  return new Tables(database, { clock: { now: () => 0 } });
}

test.each([
  ["en", ["Garden", "Website"], "Buy milk"],
  ["it", ["Giardino", "Sito web"], "Comprare il latte"],
  ["fr", ["Garden", "Website"], "Buy milk"],
])("the examples are in the user's language: %s", async (language, projects, task) => {
  const tables = await newTables();

  expect(await insertExamples(tables, language, 0)).toBe(true);

  expect((await tables.select("projects")).map(({ name }) => name).sort()).toEqual(projects);
  expect((await tables.select("tasks")).map(({ title }) => title)).toContain(task);
});

test("the examples are inserted once, whatever the language", async () => {
  const tables = await newTables();
  await insertExamples(tables, "en", 0);

  expect(await insertExamples(tables, "it", 0)).toBe(false);

  expect(await tables.select("projects")).toHaveLength(2);
});
