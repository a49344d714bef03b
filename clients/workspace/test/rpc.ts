/** A scripted store on in-memory channels. */
import type { ChatMessage } from "@adiuva/client/database";
import { type Channel, RpcClient } from "../src/rpc/client";
import { sentError } from "../src/rpc/errors";
import {
  type CallMessage,
  channelOf,
  type PrivateMessage,
  type PublicMessage,
  SHARED_CHANNEL,
  type Snapshot,
  type StoreApi,
  type StoreEvent,
} from "../src/rpc/messages";

type Listener = (event: { data: unknown }) => void;

/** Channels as in browsers: a message reaches all others of the same name, in order. */
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
  models: [],
};

/** A store with scripted answers that records its calls. Exceptions of the answers are sent to the caller. */
export class ScriptedStore {
  readonly asked: { method: string; args: readonly unknown[] }[] = [];
  readonly rpc: RpcClient;
  readonly answers: Partial<Record<keyof StoreApi, (...args: never[]) => unknown>>;
  readonly #shared: Channel;

  constructor(answers: Partial<Record<keyof StoreApi, (...args: never[]) => unknown>> = {}) {
    const open = channels();
    this.answers = answers;
    this.#shared = open(SHARED_CHANNEL);
    this.#shared.addEventListener("message", ({ data }) => {
      const message = data as PublicMessage;
      if (message.type === "call") {
        this.asked.push({ method: message.method, args: message.args });
        this.#post(message, open(channelOf(message.from)));
      }
    });
    this.rpc = new RpcClient(open);
  }

  /** An answer that is a promise is sent when it is settled. */
  #post(call: CallMessage, page: Channel): void {
    const answer = this.#answerTo(call);
    if (answer.type === "answer" && answer.value instanceof Promise) {
      void answer.value.then(
        (value) => page.postMessage({ ...answer, value }),
        (error: unknown) => page.postMessage({ type: "failed", id: call.id, ...sentError(error) }),
      );
    } else {
      page.postMessage(answer);
    }
  }

  #answerTo({ id, method, args }: CallMessage): PrivateMessage {
    const act = this.answers[method] as ((...args: readonly unknown[]) => unknown) | undefined;
    try {
      return { type: "answer", id, value: act?.(...args) };
    } catch (error) {
      return { type: "failed", id, ...sentError(error) };
    }
  }

  tell(...events: StoreEvent[]): void {
    for (const event of events) {
      this.#shared.postMessage({ type: "event", event });
    }
  }

  /** The arguments of the calls of `method`, in order. */
  calls(method: keyof StoreApi): (readonly unknown[])[] {
    return this.asked.filter((call) => call.method === method).map(({ args }) => args);
  }
}

export function message(given: Partial<ChatMessage> & Pick<ChatMessage, "id" | "role" | "content">): ChatMessage {
  return { sessionId: "s1", toolCalls: null, toolResults: null, scope: null, createdAt: 0, ...given };
}
