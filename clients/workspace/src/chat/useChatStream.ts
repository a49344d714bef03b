/** The one streaming engine: a conversation, what is being written in it, and asking in it. */
import type { Scope } from "@adiuva/client";
import type { ChatChannel, ChatMessage } from "@adiuva/client/database";
import { useCallback, useEffect, useReducer, useRef, useState } from "react";
import { keep } from "../parts/kept";
import type { Asked, OpenChat, StoreEvent } from "../rpc/messages";
import { useRpc } from "../rpc/RpcProvider";
import { grown, type Live, outcomeOf } from "./parts";

/** What a question may have besides its words. */
export interface Options extends Pick<Asked, "brief" | "model" | "pictures" | "again"> {
  readonly scope?: Scope | null;
}

export interface ChatStream {
  readonly sessionId: string | null;
  readonly messages: readonly ChatMessage[];
  /** How many earlier messages are not loaded yet. */
  readonly earlier: number;
  /** The answers in progress, the oldest first. */
  readonly live: readonly Live[];
  readonly isStreaming: boolean;
  /** Whether a conversation is still being loaded. */
  readonly isOpening: boolean;
  /** Why the last question was refused; empty if it was accepted. */
  readonly problem: string;
  /** Rejects if the question was refused, or another one is just being asked. */
  send(message: string, options?: Options): Promise<void>;
  stop(): void;
  newChat(): void;
  openChat(sessionId: string): void;
  readEarlier(): void;
}

/** How many messages are loaded at first, and each further time. */
const READ = 24;
/** From this many on, asking leaves only the latest: in a longer page each piece of an answer takes longer. */
const MANY = 2 * READ;

interface Conversation {
  readonly messages: readonly ChatMessage[];
  readonly earlier: number;
  readonly isOpening: boolean;
  readonly live: readonly Live[];
}

type Action =
  | { readonly type: "cleared"; readonly isOpening: boolean }
  | { readonly type: "opened"; readonly chat: OpenChat }
  | { readonly type: "asked" }
  | { readonly type: "event"; readonly event: StoreEvent };

const EMPTY: Conversation = { messages: [], earlier: 0, isOpening: false, live: [] };

export function useChatStream(channel: ChatChannel): ChatStream {
  const rpc = useRpc();
  const key = `chat.${channel}.lastSessionId`;
  const [sessionId, setSessionId] = useState<string | null>(() => localStorage.getItem(key));
  const [conversation, dispatch] = useReducer(reduced, { ...EMPTY, isOpening: sessionId !== null });
  const [problem, setProblem] = useState("");
  // Events of a new conversation arrive before its id.
  const current = useRef(sessionId);
  const isAsking = useRef(false);
  /** How often another conversation was opened or begun. */
  const moves = useRef(0);

  const become = useCallback(
    (id: string | null) => {
      moves.current += 1;
      current.current = id;
      setSessionId(id);
      keep(localStorage, key, id);
    },
    [key],
  );

  useEffect(() => {
    return rpc.onEvent((event) => {
      const about = sessionOf(event);
      // How an answer ended comes with the message that takes its place.
      const shows = event.type !== "turn" || event.event.type !== "end";
      if (shows && about !== null && about === current.current) {
        dispatch({ type: "event", event });
      }
    });
  }, [rpc]);

  const newChat = useCallback(() => {
    become(null);
    setProblem("");
    dispatch({ type: "cleared", isOpening: false });
  }, [become]);

  const read = useCallback(
    (id: string, limit: number) => {
      rpc.store.openChat(id, limit).then(
        (chat) => {
          if (current.current === id) {
            chat === null ? newChat() : dispatch({ type: "opened", chat });
          }
        },
        () => undefined,
      );
    },
    [newChat, rpc],
  );

  const openChat = useCallback(
    (id: string) => {
      become(id);
      dispatch({ type: "cleared", isOpening: true });
      read(id, READ);
    },
    [become, read],
  );

  const known = conversation.messages.length;
  useEffect(() => {
    return rpc.onEvent((event) => {
      if (event.type === "renewed" && current.current !== null) {
        read(current.current, Math.max(READ, known));
      }
    });
  }, [rpc, read, known]);

  const readEarlier = useCallback(() => {
    if (current.current !== null) {
      read(current.current, known + READ);
    }
  }, [read, known]);

  useEffect(() => {
    if (current.current !== null) {
      openChat(current.current);
    }
  }, [openChat]);

  const send = useCallback(
    async (message: string, { scope = null, ...more }: Options = {}) => {
      if (isAsking.current) {
        throw new Error("Another question is being asked.");
      }
      isAsking.current = true;
      setProblem("");
      const before = moves.current;
      try {
        const asked = { channel, sessionId: current.current, message, scope, ...more };
        const id = await rpc.store.ask(asked);
        // Not if the user has opened another conversation meanwhile.
        if (moves.current === before) {
          // Asked again, the event that cuts the conversation names a message of it.
          if (more.again === undefined) {
            dispatch({ type: "asked" });
          }
          if (id !== current.current) {
            openChat(id);
          }
        }
      } catch (error) {
        setProblem(error instanceof Error ? error.message : String(error));
        throw error;
      } finally {
        isAsking.current = false;
      }
    },
    [channel, rpc, openChat],
  );

  const stop = useCallback(() => {
    for (const { requestId } of conversation.live) {
      void rpc.store.stop(requestId);
    }
  }, [conversation.live, rpc]);

  const isStreaming = conversation.live.length > 0;
  return { sessionId, ...conversation, isStreaming, problem, send, stop, newChat, openChat, readEarlier };
}

function sessionOf(event: StoreEvent): string | null {
  switch (event.type) {
    case "message":
      return event.message.sessionId;
    case "begun":
      return event.live.sessionId;
    case "turn":
    case "over":
    case "cut":
      return event.sessionId;
    default:
      return null;
  }
}

export function reduced(state: Conversation, action: Action): Conversation {
  switch (action.type) {
    case "cleared":
      return { ...EMPTY, isOpening: action.isOpening };
    case "opened":
      return merged(state, action.chat);
    case "asked":
      return shortened(state);
    case "event":
      return withEvent(state, action.event);
  }
}

/** Who asks is taken to the end: what is far above can be loaded again. */
function shortened(state: Conversation): Conversation {
  const excess = state.messages.length - READ;
  return state.messages.length < MANY
    ? state
    : { ...state, messages: state.messages.slice(excess), earlier: state.earlier + excess };
}

/** The loaded conversation, with the events that arrived while it was loading. */
function merged(heard: Conversation, read: OpenChat): Conversation {
  const known = new Set(read.messages.map(({ id }) => id));
  const newer = new Map(heard.live.map((live) => [live.requestId, live]));
  const last = read.messages.at(-1)?.createdAt ?? 0;
  const newest = heard.messages.filter(({ id, createdAt }) => !known.has(id) && createdAt >= last);
  const isOver = new Set(heard.messages.flatMap(requestIdOf));
  return {
    messages: [...read.messages, ...newest],
    earlier: Math.max(0, read.total - read.messages.length),
    isOpening: false,
    live: read.live
      .map((live) => {
        const other = newer.get(live.requestId);
        return other !== undefined && other.count > live.count ? other : live;
      })
      .filter(({ requestId }) => !isOver.has(requestId)),
  };
}

function requestIdOf(message: ChatMessage): string[] {
  const outcome = outcomeOf(message);
  return outcome === undefined ? [] : [outcome.requestId];
}

function withEvent(state: Conversation, event: StoreEvent): Conversation {
  switch (event.type) {
    case "message":
      return state.messages.some(({ id }) => id === event.message.id)
        ? { ...state, messages: withMoved(state.messages, event.message) }
        : { ...state, messages: [...state.messages, event.message], live: withoutAnswered(state.live, event.message) };
    case "cut": {
      const at = state.messages.findIndex(({ id }) => id === event.messageId);
      return at === -1 ? state : { ...state, messages: state.messages.slice(0, at) };
    }
    case "begun":
      return { ...state, live: [...state.live.filter((live) => live.requestId !== event.live.requestId), event.live] };
    case "turn":
      return {
        ...state,
        live: state.live.map((live) =>
          // The loaded conversation already contains this event.
          live.requestId === event.requestId && live.count === event.index ? grown(live, event.event) : live,
        ),
      };
    case "over":
      return { ...state, live: state.live.filter(({ requestId }) => requestId !== event.requestId) };
    default:
      return state;
  }
}

/** A question that waited is sent: its time is now. */
function withMoved(messages: readonly ChatMessage[], moved: ChatMessage): readonly ChatMessage[] {
  return messages
    .map((each) => (each.id === moved.id ? moved : each))
    .toSorted((one, other) => one.createdAt - other.createdAt);
}

/** The finished message replaces the answer in progress, in one step. */
function withoutAnswered(live: readonly Live[], message: ChatMessage): readonly Live[] {
  const answered = requestIdOf(message);
  return live.filter(({ requestId }) => !answered.includes(requestId));
}
