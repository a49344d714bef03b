import { Database, type SqliteWasm, sqliteWasm, Tables } from "@adiuva/client/database";
import sqlite3InitModule from "@sqlite.org/sqlite-wasm";
import { expect, test } from "vitest";
import { remove } from "../src/store/removing";

test("a project goes with what is in it, and comes back in the same order", async () => {
  const sqlite3 = await sqlite3InitModule();
  const database = await Database.open(sqliteWasm(new sqlite3.oo1.DB(":memory:") as unknown as SqliteWasm));
  const tables = new Tables(database, { clock: { now: () => 0 } });
  const project = await tables.insert("projects", { name: "House" });
  const titles = ["Roof", "Wall", "Door"];
  for (const title of titles) {
    const { id } = await tables.insert("tasks", { title, projectId: project.id });
    await tables.insert("taskComments", { taskId: id, content: "Red", author: "Anna" });
  }
  await tables.insert("tasks", { title: "Buy milk" });
  const reports: (readonly [number, number])[] = [];

  await tables.together((rows) => remove(rows, "projects", project.id, (...report) => reports.push(report)));

  expect(reports).toEqual([0, 1, 2].map((done) => [done, 3]));
  expect((await tables.select("tasks")).map(({ title }) => title)).toEqual(["Buy milk"]);
  expect(await tables.select("taskComments")).toEqual([]);
  const deletion = await tables.latestEntry();
  await tables.undo({ call: deletion?.id ?? "" });
  const back = await tables.select("tasks", { projectId: project.id });
  expect(back.map(({ title }) => title)).toEqual(titles);
  expect(await tables.select("taskComments")).toHaveLength(3);
});
