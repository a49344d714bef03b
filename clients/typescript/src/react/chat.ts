/** A conversation as React shows it. */
import { useCallback, useEffect, useRef, useState } from "react";
import type { AdiuvaClient } from "../client/client.js";
import type { Turn, TurnEnd, TurnEvent } from "../client/turn.js";

type Asking = Pick<AdiuvaClient, "home">;
type Request = Parameters<AdiuvaClient["home"]>[0];

/** What has come of an answer so far. */
export interface ChatAnswer {
  readonly text: string;
  /** Everything in its order: texts, blocks, and what the assistant does meanwhile. */
  readonly events: readonly TurnEvent[];
  readonly end: TurnEnd | undefined;
  /** Why there is no end; the text so far stays. */
  readonly error: Error | undefined;
}

export interface ChatExchange {
  readonly requestId: string;
  readonly message: string;
  readonly answer: ChatAnswer;
}

export interface Chat {
  readonly exchanges: readonly ChatExchange[];
  readonly isBusy: boolean;
  /** Asks with what was said before as the history. `more` are further fields of the request. */
  ask(message: string, more?: Omit<Request, "message">): void;
  /** Stops what is being written. */
  stop(): void;
  /** Begins anew. What is being written is stopped. */
  clear(): void;
}

/** How much of a conversation goes with a question, in messages and characters: a request has a limit. */
const TOLD_MESSAGES = 40;
const TOLD_CHARACTERS = 60_000;

const NOTHING: ChatAnswer = { text: "", events: [], end: undefined, error: undefined };

/** A conversation with the assistant. When the component is removed, what is being written is stopped. */
export function useChat(client: Asking): Chat {
  const [exchanges, setExchanges] = useState<readonly ChatExchange[]>([]);
  const [isBusy, setIsBusy] = useState(false);
  const [running] = useState(() => new Set<Turn>());
  const said = useRef<readonly ChatExchange[]>([]);
  useEffect(() => {
    said.current = exchanges;
  });
  const stop = useCallback(() => {
    for (const turn of running) {
      turn.cancel();
    }
  }, [running]);
  useEffect(() => stop, [stop]);

  const ask = useCallback(
    (message: string, more: Omit<Request, "message"> = {}) => {
      const turn = client.home({ conversation_history: historyOf(said.current), ...more, message });
      running.add(turn);
      setIsBusy(true);
      setExchanges((before) => [...before, { requestId: turn.requestId, message, answer: NOTHING }]);
      const change = (next: (answer: ChatAnswer) => ChatAnswer) =>
        setExchanges((before) =>
          before.map((each) => (each.requestId === turn.requestId ? { ...each, answer: next(each.answer) } : each)),
        );
      void follow(turn, change).finally(() => {
        running.delete(turn);
        setIsBusy(running.size > 0);
      });
    },
    [client, running],
  );
  const clear = useCallback(() => {
    stop();
    said.current = [];
    setExchanges([]);
  }, [stop]);
  return { exchanges, isBusy, ask, stop, clear };
}

async function follow(turn: Turn, change: (next: (answer: ChatAnswer) => ChatAnswer) => void): Promise<void> {
  try {
    for await (const event of turn) {
      change((answer) => ({ ...answer, text: turn.text, events: [...answer.events, event] }));
    }
    const end = await turn.done();
    change((answer) => ({ ...answer, text: turn.text, end }));
  } catch (failure) {
    const error = failure instanceof Error ? failure : new Error(String(failure));
    change((answer) => ({ ...answer, error }));
  }
}

/** The latest exchanges that have an answer, as far as they fit into a request. */
function historyOf(exchanges: readonly ChatExchange[]): NonNullable<Request["conversation_history"]> {
  const latest = exchanges.filter(({ answer }) => answer.text !== "").slice(-TOLD_MESSAGES / 2);
  let characters = 0;
  const from = latest.findLastIndex(({ message, answer }) => {
    characters += message.length + answer.text.length;
    return characters > TOLD_CHARACTERS;
  });
  return latest.slice(from + 1).flatMap(({ message, answer }) => [
    { role: "user" as const, content: message },
    { role: "assistant" as const, content: answer.text },
  ]);
}
