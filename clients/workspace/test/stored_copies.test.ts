/** Copies in the store, with an in-memory database. */
import { Database, type SqliteConnection, type SqliteWasm, sqliteWasm, Tables } from "@adiuva/client/database";
import sqlite3InitModule from "@sqlite.org/sqlite-wasm";
import { expect, test, vi } from "vitest";
import { isZip, packed } from "../src/moving/zip";
import { Copies } from "../src/store/copies";
import { keptPictures } from "./pictures";

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
  const conversations = { stopAll: async () => void happened.push("stopped") };
  const pictures = keptPictures();
  const copies = new Copies({ tables, pictures, conversations, tell: ({ type }) => happened.push(type) });
  return { copies, disk, happened, pictures, tables };
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
  const slice = () => new Blob(["{"]);

  await expect(copies.check({ size: 1e9, text, slice } as unknown as Blob)).rejects.toThrow(
    "This file is too large to be a copy of Adiuva’s data.",
  );
  expect(text).not.toHaveBeenCalled();
});

test("the pictures of notes are in a copy, and come back with it", async () => {
  const { copies, pictures, tables } = await opened();
  const [shown, forgotten] = [await pictures.add("shown"), await pictures.add("forgotten")];
  const note = await tables.insert("notes", { title: "Roof", content: `![](attachment:${shown})` });
  const file = await copies.write();
  expect(await isZip(file)).toBe(true);
  await tables.delete("notes", note.id);
  pictures.files.clear();

  expect(await copies.check(file)).toMatchObject({ pictures: 1 });
  expect(pictures.files.size).toBe(0);
  await copies.restore(file);

  expect(await tables.select("notes")).toEqual([note]);
  expect([await pictures.text(shown), await pictures.text(forgotten)]).toEqual(["shown", null]);
});

test("a restore that fails leaves no picture behind and deletes none that was here", async () => {
  const { copies, disk, pictures, tables } = await opened();
  const [one, other] = [await pictures.add("one"), await pictures.add("other")];
  await tables.insert("notes", { title: "Roof", content: `![](attachment:${one}) ![](attachment:${other})` });
  const file = await copies.write();
  pictures.files.delete(one);
  disk.isFull = true;

  await expect(copies.restore(file)).rejects.toThrow("Nothing was restored: database or disk is full.");

  expect([...pictures.files.keys()]).toEqual([other]);
});

test("a zip file of something else is refused, and one that is cut off too", async () => {
  const { copies, pictures, tables } = await opened();
  const name = await pictures.add("roof");
  await tables.insert("notes", { title: "Roof", content: `![](attachment:${name})` });
  const file = await copies.write();

  await expect(copies.check(file.slice(0, 200))).rejects.toThrow("This zip file is damaged");
  const other = await packed([{ path: "holiday.txt", content: new Blob(["sun"]) }]);
  await expect(copies.check(other)).rejects.toThrow("This file is no copy of Adiuva’s data.");
});
