/** The page's side: calls the store, which runs in one of the tabs. */

import { newUuid } from "@adiuva/client";
import { t } from "../i18n/translate";
import {
  type CallMessage,
  channelOf,
  isRead,
  type Method,
  NOTHING,
  type PrivateMessage,
  type PublicMessage,
  SHARED_CHANNEL,
  type Snapshot,
  type StoreApi,
  type StoreEvent,
} from "./messages";

/** The part of BroadcastChannel that is used here. */
export interface Channel {
  postMessage(message: unknown): void;
  addEventListener(type: "message", listener: (event: { data: unknown }) => void): void;
  close(): void;
}

interface Waiting {
  readonly message: CallMessage;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  acceptedBy?: string;
}

export class RpcClient {
  readonly store: StoreApi;
  readonly #page = newUuid();
  readonly #shared: Channel;
  readonly #waiting = new Map<string, Waiting>();
  readonly #listeners = new Set<(event: StoreEvent) => void>();
  #snapshot: Snapshot;
  #hasBeenIn = false;

  /** `snapshot` is what pages show until the store sends its own. */
  constructor(open: (name: string) => Channel = (name) => new BroadcastChannel(name), snapshot: Snapshot = NOTHING) {
    this.#snapshot = snapshot;
    this.#shared = open(SHARED_CHANNEL);
    this.#shared.addEventListener("message", ({ data }) => this.#hear(data as PublicMessage));
    open(channelOf(this.#page)).addEventListener("message", ({ data }) => this.#take(data as PrivateMessage));
    this.store = new Proxy({} as StoreApi, {
      get: (_target, method) => {
        return (...args: unknown[]) => this.#call(method as Method, args);
      },
    });
    this.#shared.postMessage({ type: "anyone" } satisfies PublicMessage);
  }

  get snapshot(): Snapshot {
    return this.#snapshot;
  }

  /** Whether the store has said that someone is signed in, since this page was opened. */
  get hasBeenIn(): boolean {
    return this.#hasBeenIn;
  }

  /** Calls `listener` with each event; returns a function that unsubscribes it. */
  onEvent(listener: (event: StoreEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #call(method: Method, args: readonly unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const message: CallMessage = { type: "call", id: newUuid(), from: this.#page, method, args };
      this.#waiting.set(message.id, { message, resolve, reject });
      this.#shared.postMessage(message);
    });
  }

  #hear(message: PublicMessage): void {
    if (message.type === "here") {
      this.#found(message.keeper);
    } else if (message.type === "event") {
      if (message.event.type === "snapshot") {
        this.#snapshot = message.event.snapshot;
        this.#hasBeenIn ||= this.#snapshot.account.at === "signed-in";
      }
      for (const listener of [...this.#listeners]) {
        listener(message.event);
      }
    }
  }

  /** A store has started. A new one does not know the calls that the last one had accepted. */
  #found(keeper: string): void {
    for (const waiting of [...this.#waiting.values()]) {
      if (waiting.acceptedBy === keeper) {
        continue;
      }
      if (waiting.acceptedBy === undefined || isRead(waiting.message)) {
        this.#shared.postMessage(waiting.message);
      } else {
        this.#waiting.delete(waiting.message.id);
        waiting.reject(new Error(t("The tab with the data was closed meanwhile. Check whether it was done.")));
      }
    }
  }

  #take(message: PrivateMessage): void {
    const waiting = this.#waiting.get(message.id);
    if (waiting === undefined) {
      return;
    }
    if (message.type === "accepted") {
      waiting.acceptedBy = message.keeper;
      return;
    }
    this.#waiting.delete(message.id);
    if (message.type === "answer") {
      waiting.resolve(message.value);
    } else {
      waiting.reject(new Error(t(message.message, message.values)));
    }
  }
}
