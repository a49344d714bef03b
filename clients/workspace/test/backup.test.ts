import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { isDue } from "../src/backup/automatic";
import { BackupRefused, isBackup, newKey, seal, unseal } from "../src/backup/format";

const PASSPHRASE = "correct horse battery staple";
const TEXT = JSON.stringify({ format: "adiuva-copy", rows: "Buy milk ".repeat(50) });
/** Enough to try it. */
const FEW = 1000;
const DAY_MS = 24 * 60 * 60_000;

async function sealed(): Promise<Blob> {
  return await seal(new Blob([TEXT]), await newKey(PASSPHRASE, FEW));
}

async function changed(backup: Blob, edit: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>): Promise<Blob> {
  return new Blob([edit(new Uint8Array(await backup.arrayBuffer()))]);
}

test("a backup opens with its passphrase, however a keyboard writes it, and shows nothing without", async () => {
  const backup = await seal(new Blob([TEXT]), await newKey("caffè della piazza", FEW));
  expect(await isBackup(backup)).toBe(true);
  expect(await backup.text()).not.toContain("Buy milk");
  expect(await (await unseal(backup, "caffe\u0300 della piazza")).text()).toBe(TEXT);
});

test("two backups with one key have nothing in common", async () => {
  const key = await newKey(PASSPHRASE, FEW);
  const [one, other] = [await seal(new Blob([TEXT]), key), await seal(new Blob([TEXT]), key)];
  const end = async (backup: Blob) => [...new Uint8Array(await backup.arrayBuffer())].slice(-32);
  expect(await end(one)).not.toEqual(await end(other));
});

test("a wrong passphrase is told from a damaged file", async () => {
  const backup = await sealed();
  await expect(unseal(backup, "another passphrase")).rejects.toThrow("This is not the passphrase of this backup.");
  const damaged = [
    await changed(backup, (bytes) => bytes.with(bytes.length - 20, (bytes.at(-20) ?? 0) ^ 1)),
    await changed(backup, (bytes) => bytes.slice(0, -1)),
    await changed(backup, (bytes) => bytes.slice(0, bytes.indexOf(10) + 1)),
  ];
  for (const each of damaged) {
    await expect(unseal(each, PASSPHRASE)).rejects.toThrow("This backup is damaged. Try an older one.");
  }
});

test("a first line that was changed is noticed", async () => {
  const text = new TextDecoder("latin1").decode(await (await sealed()).arrayBuffer());
  const bytes = Uint8Array.from(text.replace('"gzip"', '"none"'), (character) => character.charCodeAt(0));
  await expect(unseal(new Blob([bytes]), PASSPHRASE)).rejects.toThrow(BackupRefused);
});

test("other files and newer versions are refused in words", async () => {
  await expect(unseal(new Blob(["{}"]), PASSPHRASE)).rejects.toThrow("This file is not a backup of Adiuva.");
  await expect(unseal(new Blob(["not JSON"]), PASSPHRASE)).rejects.toThrow("This file is not a backup of Adiuva.");
  const newer = new Blob(['{"format":"adiuva-backup","version":2}\nsomething']);
  await expect(unseal(newer, PASSPHRASE)).rejects.toThrow("made by a newer version of Adiuva");
  const absurd = new Blob([
    '{"format":"adiuva-backup","version":1,"kdf":{"iterations":1e12,"salt":""},"cipher":{"iv":""}}\n',
  ]);
  await expect(unseal(absurd, PASSPHRASE)).rejects.toThrow("This backup is damaged.");
});

test("a backup of version 1 is still read", async () => {
  const file = readFileSync(path.join(import.meta.dirname, "backups/version-1.adiuva-backup"));
  expect(JSON.parse(await (await unseal(new Blob([file]), PASSPHRASE)).text())).toMatchObject({
    format: "adiuva-copy",
  });
});

test("it is time for a backup every day, for a download every week", async () => {
  const key = await newKey(PASSPHRASE, FEW);
  const plan = { ...key, lastAt: 0, failure: null };
  const folder = {} as FileSystemDirectoryHandle;
  expect([DAY_MS - 1, DAY_MS].map((now) => isDue({ ...plan, folder }, now))).toEqual([false, true]);
  expect([DAY_MS, 7 * DAY_MS].map((now) => isDue({ ...plan, folder: null }, now))).toEqual([false, true]);
  expect(isDue({ ...plan, folder, lastAt: null }, 0)).toBe(true);
});
