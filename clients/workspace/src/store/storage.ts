/** The database of a user of this browser: SQLite's WebAssembly on a file in OPFS. */
import { Database, type SqliteWasm, sqliteWasm } from "@adiuva/client/database";
import sqlite3InitModule from "@sqlite.org/sqlite-wasm";
import { msg } from "../i18n/msg";
import { UserError } from "../rpc/errors";

/** A tab that was just closed releases its files a moment later. */
const TRIES = 50;
const PAUSE_MS = 100;

/** The library's types lack `forceReinitIfPreviouslyFailed`. */
const OPTIONS: { name: string; directory: string; initialCapacity: number } & {
  forceReinitIfPreviouslyFailed: boolean;
} = {
  name: "adiuva",
  directory: "adiuva",
  initialCapacity: 8,
  forceReinitIfPreviouslyFailed: true,
};

/** The types for pages lack what only workers may call. */
type OpfsFile = FileSystemFileHandle & { createSyncAccessHandle(): Promise<{ close(): void }> };

type Pool = Awaited<ReturnType<Awaited<ReturnType<typeof sqlite3InitModule>>["installOpfsSAHPoolVfs"]>>;
let pool: Promise<Pool> | undefined;

/**
 * Tests the storage that a database needs before the user makes an account: some browsers and private windows offer
 * all of it but store nothing. Throws an error with a sentence for the user.
 */
export async function assertStorage(): Promise<void> {
  try {
    const folder = await navigator.storage.getDirectory();
    const file = (await folder.getFileHandle("adiuva-probe", { create: true })) as OpfsFile;
    (await file.createSyncAccessHandle()).close();
    await folder.removeEntry("adiuva-probe");
  } catch (cause) {
    throw new UserError(
      msg(
        "This browser does not let pages store files, as some do in private windows. Open the workspace in an ordinary window of a current Chromium, Firefox or Safari.",
      ),
      {},
      { cause },
    );
  }
}

/** Throws `DatabaseUnusable`, and OPFS's own errors where there is none. */
export async function openDatabase(userId: string): Promise<Database> {
  pool ??= openPool();
  const { OpfsSAHPoolDb } = await pool;
  const file = new OpfsSAHPoolDb(`/${userId}.db`);
  // No other connection is open, so the log needs no shared memory; a commit waits for the disk once, not three times.
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
