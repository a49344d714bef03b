/** The database of a user of this browser: SQLite's WebAssembly on a file in OPFS. */
import { Database, type SqliteWasm, sqliteWasm } from "@adiuva/client/database";
import sqlite3InitModule from "@sqlite.org/sqlite-wasm";

/** The files of a tab that was just closed are let go of a moment later. */
const TRIES = 50;
const PAUSE_MS = 100;

/** Its types lack that a failure is not remembered. */
const OPTIONS: { name: string; directory: string; initialCapacity: number } & {
  forceReinitIfPreviouslyFailed: boolean;
} = {
  name: "adiuva",
  directory: "adiuva",
  initialCapacity: 8,
  forceReinitIfPreviouslyFailed: true,
};

/** The types of pages lack what only workers may call. */
type OpfsFile = FileSystemFileHandle & { createSyncAccessHandle(): Promise<{ close(): void }> };

type Pool = Awaited<ReturnType<Awaited<ReturnType<typeof sqlite3InitModule>>["installOpfsSAHPoolVfs"]>>;
let pool: Promise<Pool> | undefined;

/**
 * Tries out what a database will need, before anybody makes an account for it: there are browsers, and private windows
 * of others, that have all of it and let nothing be kept. Throws a sentence for whoever sits there.
 */
export async function assertStorage(): Promise<void> {
  try {
    const folder = await navigator.storage.getDirectory();
    const file = (await folder.getFileHandle("adiuva-probe", { create: true })) as OpfsFile;
    (await file.createSyncAccessHandle()).close();
    await folder.removeEntry("adiuva-probe");
  } catch (cause) {
    throw new Error(
      "This browser lets pages keep no files, as some do in private windows. " +
        "Open the workspace in an ordinary window of a current Chromium, Firefox or Safari.",
      { cause },
    );
  }
}

/** Throws `DatabaseUnusable`, and what OPFS throws where there is none. */
export async function openDatabase(userId: string): Promise<Database> {
  pool ??= openPool();
  const { OpfsSAHPoolDb } = await pool;
  const file = new OpfsSAHPoolDb(`/${userId}.db`);
  // Nobody else has it open, so its log needs no shared memory; a commit then waits for the disk once instead of thrice.
  file.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  return await Database.open(sqliteWasm(file as unknown as SqliteWasm));
}

async function openPool(): Promise<Pool> {
  const sqlite3 = await sqlite3InitModule();
  for (let tries = 1; ; tries += 1) {
    try {
      return await sqlite3.installOpfsSAHPoolVfs(OPTIONS);
    } catch (error) {
      if (tries === TRIES) {
        throw error;
      }
      await new Promise((resume) => setTimeout(resume, PAUSE_MS));
    }
  }
}
