/** What the user said: to copy, and to say in other words. */
import type { ChatMessage } from "@adiuva/client/database";
import { type FormEvent, type KeyboardEvent, useState } from "react";
import { listShown } from "../i18n/formats";
import { t } from "../i18n/translate";
import { CopyButton } from "../parts/CopyButton";
import { Icon } from "../parts/Icon";
import { isWaiting, picturesOf } from "./parts";

export function UserMessage({
  message,
  onEdit,
}: {
  message: ChatMessage;
  /** Rejects if the question is refused. */
  onEdit: ((text: string) => Promise<void>) | undefined;
}) {
  const [isEdited, setEdited] = useState(false);
  if (isEdited && onEdit !== undefined) {
    return (
      <li className="message user edited">
        <Editor text={message.content} onDone={onEdit} onClose={() => setEdited(false)} />
      </li>
    );
  }
  const pictures = picturesOf(message);
  return (
    <li className="message-of-user">
      <div className="message user">
        <span className="unseen">{t("You:")} </span>
        {message.content}
        {pictures.length > 0 && (
          <span className="pill picture">
            <Icon name="picture" />
            {listShown(pictures.map(({ name }) => name))}
          </span>
        )}
        {isWaiting(message) && (
          <span className="waiting-mark">
            <span className="pill">{t("Waiting")}</span>
          </span>
        )}
      </div>
      <div className="tools">
        <CopyButton name={t("Copy the question")} text={() => message.content} isSmall />
        {onEdit !== undefined && (
          <button
            type="button"
            className="button quiet small copy"
            aria-label={t("Ask in other words")}
            onClick={() => setEdited(true)}
          >
            <Icon name="edit" />
          </button>
        )}
      </div>
    </li>
  );
}

interface EditorProps {
  readonly text: string;
  onDone(text: string): Promise<void>;
  onClose(): void;
}

function Editor({ text, onDone, onClose }: EditorProps) {
  const [now, setNow] = useState(text);
  const send = (event?: FormEvent) => {
    event?.preventDefault();
    if (now.trim() !== "") {
      // A refused question stays here.
      onDone(now.trim()).then(onClose, () => undefined);
    }
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) {
      event.preventDefault();
      send();
    } else if (event.key === "Escape") {
      // The sidebar stays open.
      event.stopPropagation();
      onClose();
    }
  };
  return (
    <form onSubmit={send}>
      <textarea
        className="input"
        // biome-ignore lint/a11y/noAutofocus: the user has asked for it
        autoFocus
        aria-label={t("The question in other words")}
        value={now}
        onChange={(event) => setNow(event.target.value)}
        onKeyDown={press}
      />
      <p className="small muted">{t("It replaces this question and everything after it.")}</p>
      <div className="row">
        <button type="submit" className="button primary small">
          {t("Ask")}
        </button>
        <button type="button" className="button small" onClick={onClose}>
          {t("Cancel")}
        </button>
      </div>
    </form>
  );
}
