/** The store's side: takes calls from pages, answers them, and sends events to every page. */
import { newUuid } from "@adiuva/client";
import type { Channel } from "./client";
import { sentError } from "./errors";
import {
  type CallMessage,
  channelOf,
  type PrivateMessage,
  type PublicMessage,
  SHARED_CHANNEL,
  type StoreApi,
  type StoreEvent,
} from "./messages";

/** How many call ids are remembered, so that a repeated call runs only once. */
const REMEMBERED = 1000;

export class RpcServer {
  readonly #id = newUuid();
  readonly #open: (name: string) => Channel;
  readonly #shared: Channel;
  readonly #pages = new Map<string, Channel>();
  readonly #seen = new Set<string>();
  #api: StoreApi | undefined;
  #early: CallMessage[] = [];

  constructor(open: (name: string) => Channel = (name) => new BroadcastChannel(name)) {
    this.#open = open;
    this.#shared = open(SHARED_CHANNEL);
    this.#shared.addEventListener("message", ({ data }) => this.#hear(data as PublicMessage));
    this.#say({ type: "here", keeper: this.#id });
  }

  /** From now on `api` answers calls, beginning with those that are already waiting. */
  serve(api: StoreApi): void {
    this.#api = api;
    const early = this.#early;
    this.#early = [];
    for (const call of early) {
      void this.#answer(api, call);
    }
    void this.#tellSnapshot();
  }

  tell(event: StoreEvent): void {
    this.#say({ type: "event", event });
  }

  /** For a page that has just opened. */
  async #tellSnapshot(): Promise<void> {
    const snapshot = await this.#api?.snapshot();
    if (snapshot !== undefined) {
      this.tell({ type: "snapshot", snapshot });
    }
  }

  #say(message: PublicMessage): void {
    this.#shared.postMessage(message);
  }

  #hear(message: PublicMessage): void {
    if (message.type === "anyone") {
      this.#say({ type: "here", keeper: this.#id });
      void this.#tellSnapshot();
    } else if (message.type === "call" && !this.#seen.has(message.id)) {
      this.#remember(message.id);
      this.#sayTo(message.from, { type: "accepted", id: message.id, keeper: this.#id });
      if (this.#api === undefined) {
        this.#early.push(message);
      } else {
        void this.#answer(this.#api, message);
      }
    }
  }

  async #answer(api: StoreApi, { id, from, method, args }: CallMessage): Promise<void> {
    try {
      const act = api[method] as (...args: readonly unknown[]) => Promise<unknown>;
      this.#sayTo(from, { type: "answer", id, value: await act.apply(api, [...args]) });
    } catch (error) {
      // The caller shows the error.
      this.#sayTo(from, { type: "failed", id, ...sentError(error) });
    }
  }

  #sayTo(page: string, message: PrivateMessage): void {
    const channel = this.#pages.get(page) ?? this.#open(channelOf(page));
    this.#pages.set(page, channel);
    channel.postMessage(message);
  }

  #remember(id: string): void {
    this.#seen.add(id);
    const [oldest] = this.#seen;
    if (this.#seen.size > REMEMBERED && oldest !== undefined) {
      this.#seen.delete(oldest);
    }
  }
}
