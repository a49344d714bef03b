/** Where and with which key this browser makes its backups, for each account; in IndexedDB, which can hold both. */
import type { BackupKey } from "./format";

export interface Plan extends BackupKey {
  /** Null where the browser gives no access to folders: then backups are downloaded. */
  readonly folder: FileSystemDirectoryHandle | null;
  /** When the last backup was made, in milliseconds; null before the first. */
  readonly lastAt: number | null;
  /** Why the last one could not be made. */
  readonly failure: string | null;
}

const STORE = "plans";

export async function planOf(account: string): Promise<Plan | null> {
  return (await inStore<Plan | undefined>("readonly", (store) => store.get(account))) ?? null;
}

/** Null ends the backups. */
export async function savePlan(account: string, plan: Plan | null): Promise<void> {
  await inStore<unknown>("readwrite", (store) => (plan === null ? store.delete(account) : store.put(plan, account)));
}

async function inStore<T>(mode: IDBTransactionMode, act: (store: IDBObjectStore) => IDBRequest): Promise<T> {
  const opening = indexedDB.open("adiuva-backups", 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
  const database = await done(opening);
  try {
    return await done<T>(act(database.transaction(STORE, mode).objectStore(STORE)));
  } finally {
    database.close();
  }
}

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
