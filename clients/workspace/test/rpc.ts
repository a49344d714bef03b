/** A line to a keeper of the test's own, on channels in memory. */
import type { ChatMessage } from "@adiuva/client/database";
import { type Channel, Line } from "../src/line/line";
import {
  type CallMessage,
  channelOf,
  EVERYBODY,
  type KeeperApi,
  type KeeperEvent,
  type PrivateMessage,
  type PublicMessage,
  type Snapshot,
} from "../src/line/messages";

type Listener = (event: { data: unknown }) => void;

/** Channels as browsers have them: what one posts, all others of its name hear, in order. */
export function channels(): (name: string) => Channel {
  const open = new Map<string, Set<Set<Listener>>>();
  return (name) => {
    const mine = new Set<Listener>();
    const all = open.get(name) ?? new Set();
    open.set(name, all.add(mine));
    return {
      postMessage(message) {
        const data = structuredClone(message);
        for (const listener of [...all].filter((each) => each !== mine).flatMap((each) => [...each])) {
          queueMicrotask(() => listener({ data }));
        }
      },
      addEventListener(_type, listener) {
        mine.add(listener);
      },
      close() {
        all.delete(mine);
      },
    };
  };
}

export const ONLINE: Snapshot = {
  account: { at: "signed-in", email: "alice@example.com" },
  connection: { at: "online" },
  questions: [],
  jobs: [],
  notice: null,
};

/** A keeper that answers what it is given answers for, and writes down what it was asked. What they throw is told. */
export class ScriptedKeeper {
  readonly asked: { method: string; args: readonly unknown[] }[] = [];
  readonly line: Line;
  readonly #answers: Partial<Record<keyof KeeperApi, (...args: never[]) => unknown>>;
  readonly #everybody: Channel;

  constructor(answers: Partial<Record<keyof KeeperApi, (...args: never[]) => unknown>> = {}) {
    const open = channels();
    this.#answers = answers;
    this.#everybody = open(EVERYBODY);
    this.#everybody.addEventListener("message", ({ data }) => {
      const message = data as PublicMessage;
      if (message.type === "call") {
        this.asked.push({ method: message.method, args: message.args });
        open(channelOf(message.from)).postMessage(this.#answerTo(message));
      }
    });
    this.line = new Line(open);
  }

  #answerTo({ id, method, args }: CallMessage): PrivateMessage {
    const act = this.#answers[method] as ((...args: readonly unknown[]) => unknown) | undefined;
    try {
      return { type: "answer", id, value: act?.(...args) };
    } catch (error) {
      return { type: "failed", id, message: (error as Error).message };
    }
  }

  tell(...events: KeeperEvent[]): void {
    for (const event of events) {
      this.#everybody.postMessage({ type: "event", event });
    }
  }

  /** The arguments of the calls of `method`, in order. */
  calls(method: keyof KeeperApi): (readonly unknown[])[] {
    return this.asked.filter((call) => call.method === method).map(({ args }) => args);
  }
}

export function message(given: Partial<ChatMessage> & Pick<ChatMessage, "id" | "role" | "content">): ChatMessage {
  return { sessionId: "s1", toolCalls: null, toolResults: null, scope: null, createdAt: 0, ...given };
}
