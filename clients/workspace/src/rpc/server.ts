/** The keeper's end of the lines: takes calls, answers them, and tells everybody what happens. */
import { newUuid } from "@adiuva/client";
import type { Channel } from "../line/line";
import {
  type CallMessage,
  channelOf,
  EVERYBODY,
  type KeeperApi,
  type KeeperEvent,
  type PrivateMessage,
  type PublicMessage,
} from "../line/messages";

/** So many calls are remembered, so that one that comes twice is done once. */
const REMEMBERED = 1000;

export class Exchange {
  readonly #id = newUuid();
  readonly #open: (name: string) => Channel;
  readonly #everybody: Channel;
  readonly #pages = new Map<string, Channel>();
  readonly #seen = new Set<string>();
  #api: KeeperApi | undefined;
  #early: CallMessage[] = [];

  constructor(open: (name: string) => Channel = (name) => new BroadcastChannel(name)) {
    this.#open = open;
    this.#everybody = open(EVERYBODY);
    this.#everybody.addEventListener("message", ({ data }) => this.#hear(data as PublicMessage));
    this.#say({ type: "here", keeper: this.#id });
  }

  /** From now on calls are answered by `api`, those first that came before. */
  serve(api: KeeperApi): void {
    this.#api = api;
    const early = this.#early;
    this.#early = [];
    for (const call of early) {
      void this.#answer(api, call);
    }
    void this.#tellSnapshot();
  }

  tell(event: KeeperEvent): void {
    this.#say({ type: "event", event });
  }

  /** To a page that has just come, and has heard nothing yet. */
  async #tellSnapshot(): Promise<void> {
    const snapshot = await this.#api?.snapshot();
    if (snapshot !== undefined) {
      this.tell({ type: "snapshot", snapshot });
    }
  }

  #say(message: PublicMessage): void {
    this.#everybody.postMessage(message);
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

  async #answer(api: KeeperApi, { id, from, method, args }: CallMessage): Promise<void> {
    try {
      const act = api[method] as (...args: readonly unknown[]) => Promise<unknown>;
      this.#sayTo(from, { type: "answer", id, value: await act.apply(api, [...args]) });
    } catch (error) {
      // What went wrong in the keeper is said where it was asked for.
      this.#sayTo(from, { type: "failed", id, message: error instanceof Error ? error.message : String(error) });
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
