/** Copies in the store, with an in-memory database. */
import { Database, type SqliteConnection, type SqliteWasm, sqliteWasm, Tables } from "@adiuva/client/database";
import sqlite3InitModule from "@sqlite.org/sqlite-wasm";
import { expect, test, vi } from "vitest";
import { Copies } from "../src/store/copies";

async function opened() {
  const sqlite3 = await sqlite3InitModule();
  const working = sqliteWasm(new sqlite3.oo1.DB(":memory:") as unknown as SqliteWasm);
  const disk = { isFull: false };
  const connection: SqliteConnection = {
    ...working,
    run(sql, parameters) {
      if (disk.isFull && sql.startsWith("insert")) {
        throw new Error("database or disk is full");
      }
      return working.run(sql, parameters);
    },
  };
  const tables = new Tables(await Database.open(connection));
  const happened: string[] = [];
  tables.onChange(({ action }) => happened.push(action));
  const conversations = { stopAll: () => void happened.push("stopped") };
  const copies = new Copies({ tables, conversations, tell: ({ type }) => happened.push(type) });
  return { copies, disk, happened, tables };
}

test("a copy is restored, and pages are notified when all of it is stored", async () => {
  const { copies, happened, tables } = await opened();
  const task = await tables.insert("tasks", { title: "Roof" });
  const file = await copies.write();
  await tables.delete("tasks", task.id);
  happened.length = 0;

  expect((await copies.check(file)).counts.tasks).toEqual({ rows: 1, replaced: 0 });
  expect(happened).toEqual([]);
  await copies.restore(file);

  expect(happened).toEqual(["insert", "renewed"]);
  expect(await tables.select("tasks")).toEqual([task]);
});

test("what cannot be restored changes nothing and sends no event", async () => {
  const { copies, disk, happened, tables } = await opened();
  const task = await tables.insert("tasks", { title: "Roof" });
  const file = await copies.write();
  const changed = await tables.update("tasks", task.id, { title: "Cellar" });
  happened.length = 0;
  disk.isFull = true;

  await expect(copies.restore(file)).rejects.toThrow("Nothing was restored: database or disk is full.");

  expect(happened).toEqual([]);
  expect(await tables.select("tasks")).toEqual([changed]);
});

test("answers are stopped before everything is deleted", async () => {
  const { copies, happened, tables } = await opened();
  await tables.insert("tasks", { title: "Roof" });
  happened.length = 0;

  await copies.deleteEverything();

  expect(happened).toEqual(["stopped", "delete", "renewed"]);
  expect(await tables.select("tasks")).toEqual([]);
});

test("a file that is too large is refused unread", async () => {
  const { copies } = await opened();
  const text = vi.fn();

  await expect(copies.check({ size: 1e9, text } as unknown as Blob)).rejects.toThrow(
    "This file is too large to be a copy of Adiuva’s data.",
  );
  expect(text).not.toHaveBeenCalled();
});
