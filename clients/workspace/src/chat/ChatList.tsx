/** Earlier conversations, on Home and beside pages: to find, open, rename, pin, save and delete. */
import { memo, useDeferredValue, useRef, useState } from "react";
import { useLocation } from "wouter";
import { t } from "../i18n/translate";
import type { ListedChat } from "../rpc/messages";
import { ChatEntry } from "./ChatEntry";
import { useContextualChat } from "./ContextualChatProvider";
import { placeOf } from "./scopes";
import type { ChatStream } from "./useChatStream";
import { useChats } from "./useChats";

/** So many are shown at first, and each further time. */
const SHOWN = 40;

/** What the list does with Home's conversation. */
export type HomeChat = Pick<ChatStream, "sessionId" | "newChat">;

/** The same `home` draws nothing again: an answer in progress changes with each word. */
export const ChatList = memo(function ChatList({ home, onOpened }: { home: HomeChat; onOpened?: () => void }) {
  const [words, setWords] = useState("");
  const [most, setMost] = useState(SHOWN);
  const sought = useDeferredValue(words.trim());
  const { chats, read } = useChats(sought);
  const field = useRef<HTMLInputElement>(null);
  const contextual = useContextualChat();
  const [, go] = useLocation();
  const forget = ({ id }: ListedChat, isFocusHere: boolean) => {
    for (const chat of [home, contextual].filter(({ sessionId }) => sessionId === id)) {
      chat.newChat();
    }
    read();
    // The element that had the focus is gone.
    if (isFocusHere) {
      field.current?.focus();
    }
  };
  return (
    <section className="chats" aria-label={t("Chats")}>
      <input
        ref={field}
        className="input"
        type="search"
        aria-label={t("Search in chats")}
        placeholder={t("Search in chats")}
        value={words}
        onChange={(event) => setWords(event.target.value)}
      />
      <ol>
        {chats?.slice(0, most).map((chat) => (
          <ChatEntry
            key={chat.id}
            chat={chat}
            isOpen={chat.id === home.sessionId}
            onOpen={() => {
              onOpened?.();
              go(placeOf(chat));
            }}
            onDeleted={(isFocusHere) => forget(chat, isFocusHere)}
          />
        ))}
      </ol>
      {chats !== null && chats.length > most && (
        <button type="button" className="button quiet small" onClick={() => setMost(most + SHOWN)}>
          {t("Show more")}
        </button>
      )}
      {chats?.length === 0 && (
        <p className="muted small">
          {sought === "" ? t("No chats yet. What you ask is kept here.") : t("No chat contains these words.")}
        </p>
      )}
    </section>
  );
});
