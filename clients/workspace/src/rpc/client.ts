/** A page's line to whichever tab keeps the data. */
import { newUuid } from "@adiuva/client";
import {
  type CallMessage,
  channelOf,
  EVERYBODY,
  type KeeperApi,
  type KeeperEvent,
  type Method,
  NOTHING,
  type PrivateMessage,
  type PublicMessage,
  type Snapshot,
} from "./messages";

/** What is used of a BroadcastChannel. */
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

export class Line {
  readonly keeper: KeeperApi;
  readonly #page = newUuid();
  readonly #everybody: Channel;
  readonly #waiting = new Map<string, Waiting>();
  readonly #listeners = new Set<(event: KeeperEvent) => void>();
  #snapshot: Snapshot = NOTHING;

  constructor(open: (name: string) => Channel = (name) => new BroadcastChannel(name)) {
    this.#everybody = open(EVERYBODY);
    this.#everybody.addEventListener("message", ({ data }) => this.#hear(data as PublicMessage));
    open(channelOf(this.#page)).addEventListener("message", ({ data }) => this.#take(data as PrivateMessage));
    this.keeper = new Proxy({} as KeeperApi, {
      get: (_target, method) => {
        return (...args: unknown[]) => this.#call(method as Method, args);
      },
    });
    this.#everybody.postMessage({ type: "anyone" } satisfies PublicMessage);
  }

  get snapshot(): Snapshot {
    return this.#snapshot;
  }

  /** Calls `listener` with each event; gives a function that ends this. */
  onEvent(listener: (event: KeeperEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #call(method: Method, args: readonly unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const message: CallMessage = { type: "call", id: newUuid(), from: this.#page, method, args };
      this.#waiting.set(message.id, { message, resolve, reject });
      this.#everybody.postMessage(message);
    });
  }

  #hear(message: PublicMessage): void {
    if (message.type === "here") {
      this.#found(message.keeper);
    } else if (message.type === "event") {
      if (message.event.type === "snapshot") {
        this.#snapshot = message.event.snapshot;
      }
      for (const listener of [...this.#listeners]) {
        listener(message.event);
      }
    }
  }

  /** There is a keeper, perhaps a new one: it knows nothing of what was asked of the last. */
  #found(keeper: string): void {
    for (const waiting of [...this.#waiting.values()]) {
      if (waiting.acceptedBy === undefined) {
        this.#everybody.postMessage(waiting.message);
      } else if (waiting.acceptedBy !== keeper) {
        this.#waiting.delete(waiting.message.id);
        waiting.reject(new Error("The tab that kept the data was closed meanwhile. Look whether it was done."));
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
      waiting.reject(new Error(message.message));
    }
  }
}
