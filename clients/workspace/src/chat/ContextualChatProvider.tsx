/** The state of the sidebar's conversation: mounted once above the pages, so it survives navigation. */
import type { Scope } from "@adiuva/client";
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef, useState } from "react";
import { keep } from "../parts/kept";
import { useStore } from "../rpc/RpcProvider";
import { EVERYTHING, isSameScope } from "./scopes";
import { useAskedChat } from "./useAskedChat";
import { type ChatStream, type Options, useChatStream } from "./useChatStream";

const OPEN_KEY = "chat.contextual.open";
const SIZE_KEY = "chat.sidebar.size";
export const SIZES = { smallest: 24, usual: 32, largest: 55 } as const;

export interface ContextualChat extends Omit<ChatStream, "send"> {
  readonly open: boolean;
  /** Percentage of the window's width. */
  readonly size: number;
  readonly scope: Scope;
  send(message: string, options?: Omit<Options, "scope">): Promise<void>;
  toggle(): void;
  setScope(scope: Scope): void;
  setSize(size: number): void;
}

const Context = createContext<ContextualChat | null>(null);

export function useContextualChat(): ContextualChat {
  const chat = useContext(Context);
  if (chat === null) {
    throw new Error("There is no ContextualChatProvider above.");
  }
  return chat;
}

/** Sets the scope while the page is shown; after it questions are about everything. */
export function useContextualScope(scope: Scope | null): void {
  const { setScope } = useContextualChat();
  const asked = JSON.stringify(scope);
  useEffect(() => {
    const now = JSON.parse(asked) as Scope | null;
    if (now === null) {
      return;
    }
    setScope(now);
    return () => setScope(EVERYTHING);
  }, [setScope, asked]);
}

export function ContextualChatProvider({ children }: { children: ReactNode }) {
  const stream = useChatStream("contextual");
  // Only for this browser session: the sidebar is closed after a restart.
  const [open, setOpen] = useState(() => sessionStorage.getItem(OPEN_KEY) === "true");
  const [size, setKeptSize] = useState(keptSize);
  const [scope, setScope] = useState<Scope>(EVERYTHING);
  useScopeUpdates(stream, scope);

  useEffect(() => void keep(sessionStorage, OPEN_KEY, String(open)), [open]);
  const toggle = useCallback(() => setOpen((was) => !was), []);
  const { openChat } = stream;
  const openBeside = useCallback(
    (id: string) => {
      openChat(id);
      setOpen(true);
    },
    [openChat],
  );
  useAskedChat("contextual", openBeside);
  const setSize = useCallback((wanted: number) => {
    const within = Math.min(SIZES.largest, Math.max(SIZES.smallest, wanted));
    keep(localStorage, SIZE_KEY, String(within));
    setKeptSize(within);
  }, []);
  const setRealScope = useCallback((next: Scope) => {
    setScope((last) => (isSameScope(last, next) ? last : next));
  }, []);
  const { send } = stream;
  const latest = useRef(scope);
  latest.current = scope;
  // The same function on every page, since messages that were drawn on another one keep it.
  const sendHere = useCallback(
    (message: string, options: Omit<Options, "scope"> = {}) => send(message, { ...options, scope: latest.current }),
    [send],
  );

  const chat = useMemo(
    () => ({ ...stream, open, size, scope, toggle, setSize, setScope: setRealScope, send: sendHere }),
    [stream, open, size, scope, toggle, setSize, setRealScope, sendHere],
  );
  return <Context value={chat}>{children}</Context>;
}

/** Tells the server when the scope really changes, but never while an answer streams. */
function useScopeUpdates({ sessionId, isStreaming }: ChatStream, scope: Scope): void {
  const store = useStore();
  const told = useRef<{ sessionId: string; scope: Scope } | null>(null);
  useEffect(() => {
    if (sessionId === null || isStreaming) {
      return;
    }
    const last = told.current;
    told.current = { sessionId, scope };
    // A conversation's first scope is sent with its first question.
    if (last?.sessionId === sessionId && !isSameScope(last.scope, scope)) {
      store.navigate(sessionId, scope).catch(() => undefined);
    }
  }, [store, sessionId, isStreaming, scope]);
}

function keptSize(): number {
  const kept = Number(localStorage.getItem(SIZE_KEY));
  return kept >= SIZES.smallest && kept <= SIZES.largest ? kept : SIZES.usual;
}
