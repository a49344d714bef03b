/** The one streaming engine: a conversation, what is being written in it, and asking in it. */
import type { Scope } from "@adiuva/client";
import type { ChatChannel, ChatMessage } from "@adiuva/client/database";
import { useCallback, useEffect, useReducer, useRef, useState } from "react";
import { useLine } from "../line/LineProvider";
import type { KeeperEvent, OpenChat } from "../line/messages";
import { grown, type Live } from "./parts";

export interface ChatStream {
  readonly sessionId: string | null;
  readonly messages: readonly ChatMessage[];
  /** What is being written, the oldest first. */
  readonly live: readonly Live[];
  readonly isStreaming: boolean;
  /** Why the last question was not even taken; empty when it was. */
  readonly problem: string;
  send(message: string, options?: { scope?: Scope | null; kind?: "brief" }): Promise<void>;
  stop(): void;
  newChat(): void;
  openChat(sessionId: string): void;
}

interface Conversation {
  readonly messages: readonly ChatMessage[];
  readonly live: readonly Live[];
}

type Action =
  | { readonly type: "cleared" }
  | { readonly type: "opened"; readonly chat: OpenChat }
  | { readonly type: "event"; readonly event: KeeperEvent };

const EMPTY: Conversation = { messages: [], live: [] };

export function useChatStream(channel: ChatChannel): ChatStream {
  const line = useLine();
  const key = `chat.${channel}.lastSessionId`;
  const [sessionId, setSessionId] = useState<string | null>(() => localStorage.getItem(key));
  const [conversation, dispatch] = useReducer(reduced, EMPTY);
  const [problem, setProblem] = useState("");
  // Events of a new conversation come before its id does.
  const current = useRef(sessionId);
  const isAsking = useRef(false);

  const become = useCallback(
    (id: string | null) => {
      current.current = id;
      setSessionId(id);
      if (id === null) {
        localStorage.removeItem(key);
      } else {
        localStorage.setItem(key, id);
      }
    },
    [key],
  );

  useEffect(() => {
    return line.onEvent((event) => {
      const about = sessionOf(event);
      if (about !== null && about === current.current) {
        dispatch({ type: "event", event });
      }
    });
  }, [line]);

  const openChat = useCallback(
    (id: string) => {
      become(id);
      dispatch({ type: "cleared" });
      line.keeper.openChat(id).then(
        (chat) => {
          if (current.current !== id) {
            return;
          }
          if (chat === null) {
            become(null);
          } else {
            dispatch({ type: "opened", chat });
          }
        },
        () => undefined,
      );
    },
    [become, line],
  );

  useEffect(() => {
    if (current.current !== null) {
      openChat(current.current);
    }
  }, [openChat]);

  const send = useCallback(
    async (message: string, { scope = null, kind }: { scope?: Scope | null; kind?: "brief" } = {}) => {
      if (isAsking.current) {
        return;
      }
      isAsking.current = true;
      setProblem("");
      try {
        const asked = { channel, sessionId: current.current, message, scope, ...(kind === undefined ? {} : { kind }) };
        const id = await line.keeper.ask(asked);
        if (id !== current.current) {
          openChat(id);
        }
      } catch (error) {
        setProblem(error instanceof Error ? error.message : String(error));
        throw error;
      } finally {
        isAsking.current = false;
      }
    },
    [channel, line, openChat],
  );

  const stop = useCallback(() => {
    for (const { requestId } of conversation.live) {
      void line.keeper.stop(requestId);
    }
  }, [conversation.live, line]);

  const newChat = useCallback(() => {
    become(null);
    setProblem("");
    dispatch({ type: "cleared" });
  }, [become]);

  const isStreaming = conversation.live.length > 0;
  return { sessionId, ...conversation, isStreaming, problem, send, stop, newChat, openChat };
}

function sessionOf(event: KeeperEvent): string | null {
  switch (event.type) {
    case "message":
      return event.message.sessionId;
    case "begun":
      return event.live.sessionId;
    case "turn":
    case "over":
      return event.sessionId;
    default:
      return null;
  }
}

export function reduced(state: Conversation, action: Action): Conversation {
  switch (action.type) {
    case "cleared":
      return EMPTY;
    case "opened":
      return merged(state, action.chat);
    case "event":
      return withEvent(state, action.event);
  }
}

/** What was read, with what was heard while it was read. */
function merged(heard: Conversation, read: OpenChat): Conversation {
  const known = new Set(read.messages.map(({ id }) => id));
  const newer = new Map(heard.live.map((live) => [live.requestId, live]));
  const isOver = new Set(heard.messages.flatMap(requestIdOf));
  return {
    messages: [...read.messages, ...heard.messages.filter(({ id }) => !known.has(id))],
    live: read.live
      .map((live) => {
        const other = newer.get(live.requestId);
        return other !== undefined && other.count > live.count ? other : live;
      })
      .filter(({ requestId }) => !isOver.has(requestId)),
  };
}

function requestIdOf(message: ChatMessage): string[] {
  const [outcome] = (message.toolCalls ?? []) as { requestId?: string }[];
  return outcome?.requestId === undefined ? [] : [outcome.requestId];
}

function withEvent(state: Conversation, event: KeeperEvent): Conversation {
  switch (event.type) {
    case "message":
      return state.messages.some(({ id }) => id === event.message.id)
        ? state
        : { ...state, messages: [...state.messages, event.message], live: withoutAnswered(state.live, event.message) };
    case "begun":
      return { ...state, live: [...state.live.filter((live) => live.requestId !== event.live.requestId), event.live] };
    case "turn":
      return {
        ...state,
        live: state.live.map((live) =>
          // An event that the conversation was read with comes once more.
          live.requestId === event.requestId && live.count === event.index ? grown(live, event.event) : live,
        ),
      };
    case "over":
      return { ...state, live: state.live.filter(({ requestId }) => requestId !== event.requestId) };
    default:
      return state;
  }
}

/** The finished message takes the place of the one that is written, in one step. */
function withoutAnswered(live: readonly Live[], message: ChatMessage): readonly Live[] {
  const answered = requestIdOf(message);
  return live.filter(({ requestId }) => !answered.includes(requestId));
}
