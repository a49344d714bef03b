/** Earlier conversations, on Home and beside pages, to open again or delete. */
import type { ChatSession } from "@adiuva/client/database";
import { useCallback, useEffect, useId, useRef, useState } from "react";
import { useLocation } from "wouter";
import { ConfirmButton } from "../parts/ConfirmButton";
import { Dialog } from "../parts/Dialog";
import { momentShown } from "../parts/dates";
import { useStore } from "../rpc/RpcProvider";
import { useContextualChat } from "./ContextualChatProvider";
import { pathOf } from "./scopes";
import type { ChatStream } from "./useChatStream";

interface Group {
  readonly name: string;
  readonly chats: readonly ChatSession[];
}

export function EarlierChats({ home }: { home: ChatStream }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="button" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        Earlier chats
      </button>
      {isOpen && <EarlierDialog home={home} onClose={() => setOpen(false)} />}
    </>
  );
}

function EarlierDialog({ home, onClose }: { home: ChatStream; onClose: () => void }) {
  const contextual = useContextualChat();
  const [, go] = useLocation();
  const { groups, read } = useChats();
  const close = useRef<HTMLButtonElement>(null);
  const open = ({ id, channel, lastScope }: ChatSession) => {
    onClose();
    if (channel === "home") {
      home.openChat(id);
      return;
    }
    go(pathOf(lastScope));
    contextual.openChat(id);
    if (!contextual.open) {
      contextual.toggle();
    }
  };
  const forget = ({ id }: ChatSession) => {
    for (const chat of [home, contextual].filter(({ sessionId }) => sessionId === id)) {
      chat.newChat();
    }
    read();
    // The element that had the focus is gone.
    close.current?.focus();
  };
  return (
    <Dialog title="Earlier chats" onClose={onClose}>
      {groups?.map(({ name, chats }) => (
        <section key={name} className="chats" aria-label={name}>
          <h3>{name}</h3>
          <ol>
            {chats.map((chat) => (
              <EarlierChat key={chat.id} chat={chat} onOpen={() => open(chat)} onDeleted={() => forget(chat)} />
            ))}
          </ol>
        </section>
      ))}
      {groups?.length === 0 && <p className="muted">There are none: what you ask from now on is kept here.</p>}
      <div className="actions">
        <button ref={close} type="button" className="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

/** The groups that are not empty; null until they are loaded. */
function useChats(): { groups: readonly Group[] | null; read: () => void } {
  const store = useStore();
  const [groups, setGroups] = useState<readonly Group[] | null>(null);
  const read = useCallback(() => {
    Promise.all([store.listChats("home"), store.listChats("contextual")]).then(
      ([home, contextual]) =>
        setGroups(
          [
            { name: "On Home", chats: home },
            { name: "Beside pages", chats: contextual },
          ].filter(({ chats }) => chats.length > 0),
        ),
      () => undefined,
    );
  }, [store]);
  useEffect(read, [read]);
  return { groups, read };
}

function EarlierChat({
  chat: { id, title, updatedAt },
  onOpen,
  onDeleted,
}: {
  chat: ChatSession;
  onOpen: () => void;
  onDeleted: () => void;
}) {
  const store = useStore();
  const name = useId();
  return (
    <li>
      <div className="earlier-chat">
        <button type="button" className="button quiet" onClick={onOpen}>
          <span id={name} className="title">
            {title || "Without a title"}
          </span>
          <span className="small muted">{momentShown(updatedAt)}</span>
        </button>
        <ConfirmButton
          isSmall
          isDangerous
          name="Delete"
          describedBy={name}
          question="Delete this conversation?"
          yes="Yes, delete it"
          act={() => store.deleteChat(id)}
          onDone={onDeleted}
        />
      </div>
    </li>
  );
}
