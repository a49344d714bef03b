import { type FormEvent, useId, useState } from "react";
import { t } from "../i18n/translate";
import { ConfirmButton } from "../parts/ConfirmButton";
import { momentShown } from "../parts/dates";
import { save } from "../parts/downloads";
import { Icon } from "../parts/Icon";
import type { ListedChat, StoreApi } from "../rpc/messages";
import { useStore } from "../rpc/RpcProvider";
import { conversationOf } from "./markdown_of";

/** More than any conversation has. */
const EVERYTHING = 100_000;

interface EntryProps {
  readonly chat: ListedChat;
  readonly isOpen: boolean;
  onOpen(): void;
  /** `isFocusHere`: the focus may be moved. */
  onDeleted(isFocusHere: boolean): void;
}

/** A conversation in the list, and what can be done with it. */
export function ChatEntry({ chat, isOpen, onOpen, onDeleted }: EntryProps) {
  const store = useStore();
  const name = useId();
  const [isShown, setShown] = useState(false);
  const [isRenamed, setRenamed] = useState(false);
  const { id, title, updatedAt, isPinned, isAsking, excerpt, channel } = chat;
  return (
    <li>
      <div className="earlier-chat">
        {isRenamed ? (
          <Rename
            title={title}
            onDone={(given) => {
              setRenamed(false);
              if (given !== null) {
                void store.renameChat(id, given);
              }
            }}
          />
        ) : (
          <button type="button" className="button quiet" aria-current={isOpen || undefined} onClick={onOpen}>
            <span id={name} className="title">
              {isPinned && <Icon name="pin" />}
              {title || t("Without a title")}
            </span>
            {excerpt !== "" && <span className="small muted excerpt">{excerpt}</span>}
            <span className="small muted">
              {momentShown(updatedAt)}
              {channel === "contextual" && ` · ${t("beside a page")}`}
            </span>
            {isAsking && <span className="pill asks">{t("waits for your yes or no")}</span>}
          </button>
        )}
        <button
          type="button"
          className="button quiet small more-button"
          aria-expanded={isShown}
          aria-label={t("More")}
          aria-describedby={name}
          onClick={() => setShown(!isShown)}
        >
          ⋯
        </button>
      </div>
      {isShown && (
        <div className="chat-actions">
          <button type="button" className="button quiet small" onClick={() => void store.pin(id, !isPinned)}>
            {isPinned ? t("Unpin") : t("Pin")}
          </button>
          <button type="button" className="button quiet small" onClick={() => setRenamed(true)}>
            {t("Rename")}
          </button>
          <button type="button" className="button quiet small" onClick={() => void saveChat(store, chat)}>
            {t("Save as a file")}
          </button>
          <ConfirmButton
            isSmall
            isDangerous
            name={t("Delete")}
            describedBy={name}
            question={t("Delete this conversation?")}
            yes={t("Yes, delete it")}
            act={() => store.deleteChat(id)}
            onDone={onDeleted}
          />
        </div>
      )}
    </li>
  );
}

function Rename({ title, onDone }: { title: string; onDone: (title: string | null) => void }) {
  const [now, setNow] = useState(title);
  const save = (event: FormEvent) => {
    event.preventDefault();
    onDone(now.trim() === "" ? null : now.trim());
  };
  return (
    <form className="rename" onSubmit={save}>
      <input
        className="input"
        // biome-ignore lint/a11y/noAutofocus: the user has asked for it
        autoFocus
        aria-label={t("Title of the chat")}
        value={now}
        onChange={(event) => setNow(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") {
            // A dialog around it stays open.
            event.preventDefault();
            event.stopPropagation();
            onDone(null);
          }
        }}
      />
      <button type="submit" className="button small">
        {t("Save")}
      </button>
    </form>
  );
}

async function saveChat(store: StoreApi, { id, title }: ListedChat): Promise<void> {
  const chat = await store.openChat(id, EVERYTHING);
  if (chat !== null) {
    const text = conversationOf(title, chat.messages, { you: t("You") });
    save(new Blob([text], { type: "text/markdown" }), `${fileName(title) || "chat"}.md`);
  }
}

/** Letters, digits and hyphens alone. */
function fileName(title: string): string {
  return title
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-|-$/g, "")
    .slice(0, 60);
}
