/**
 * Who is signed in, and the language of the pages, across restarts of the browser.
 *
 * Browsers offer pages no secure storage. The refresh token is in IndexedDB, encrypted with a key that the
 * browser makes and never exports (not extractable): it cannot be read from the database by a script, a copy of
 * `localStorage`, or a page that dumps storage. A script that runs in this page could still use it; the
 * page's Content-Security-Policy and Trusted Types prevent that, and a token works only once, so the use of a stolen
 * one is noticed. Access tokens are only in the memory of the store, which pages cannot read.
 */
import type { TokenStore } from "@adiuva/client";

export interface Identity {
  readonly id: string;
  readonly email: string;
}

interface Sealed {
  readonly iv: Uint8Array<ArrayBuffer>;
  readonly bytes: ArrayBuffer;
}

const STORE = "kept";

export class IdentityStore implements TokenStore {
  readonly #database: IDBDatabase;

  private constructor(database: IDBDatabase) {
    this.#database = database;
  }

  static async open(): Promise<IdentityStore> {
    const request = indexedDB.open("adiuva-identity", 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    return new IdentityStore(await done(request));
  }

  async load(): Promise<string | null> {
    const sealed = await this.#get<Sealed>("refresh");
    const key = await this.#get<CryptoKey>("key");
    if (sealed === undefined || key === undefined) {
      return null;
    }
    const text = await crypto.subtle.decrypt({ name: "AES-GCM", iv: sealed.iv }, key, sealed.bytes);
    return new TextDecoder().decode(text);
  }

  async save(refresh: string | null): Promise<void> {
    if (refresh === null) {
      await this.#put("refresh", undefined);
      return;
    }
    const key = (await this.#get<CryptoKey>("key")) ?? (await this.#makeKey());
    const iv = crypto.getRandomValues(new Uint8Array(12));
    const bytes = await crypto.subtle.encrypt({ name: "AES-GCM", iv }, key, new TextEncoder().encode(refresh));
    await this.#put("refresh", { iv, bytes } satisfies Sealed);
  }

  async identity(): Promise<Identity | null> {
    return (await this.#get<Identity>("identity")) ?? null;
  }

  async saveIdentity(identity: Identity | null): Promise<void> {
    await this.#put("identity", identity ?? undefined);
  }

  /** The language that was chosen for the pages; null if the browser decides. */
  async language(): Promise<string | null> {
    return (await this.#get<string>("language")) ?? null;
  }

  async saveLanguage(language: string | null): Promise<void> {
    await this.#put("language", language ?? undefined);
  }

  async #makeKey(): Promise<CryptoKey> {
    const key = await crypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
    await this.#put("key", key);
    return key;
  }

  async #get<T>(name: string): Promise<T | undefined> {
    return await done<T | undefined>(this.#database.transaction(STORE).objectStore(STORE).get(name));
  }

  async #put(name: string, value: unknown): Promise<void> {
    const store = this.#database.transaction(STORE, "readwrite").objectStore(STORE);
    await (value === undefined ? done(store.delete(name)) : done(store.put(value, name)));
  }
}

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
