/** The text field: Enter sends, Shift and Enter begins a new line. Pictures are pasted, dropped or chosen. */
import { type ClipboardEvent, type DragEvent, type KeyboardEvent, useState } from "react";
import { t } from "../i18n/translate";
import { useDraft } from "../parts/draft";
import { Icon } from "../parts/Icon";
import { PictureButton, Pictures } from "./Pictures";
import type { Options } from "./useChatStream";
import { usePictures } from "./usePictures";

export function Composer({
  draft,
  onSend,
  onStop,
  isStreaming,
}: {
  /** Names where the text is kept until it is sent. */
  draft: string;
  onSend: (message: string, options?: Omit<Options, "scope">) => Promise<void>;
  onStop: () => void;
  isStreaming: boolean;
}) {
  const [text, write, restore] = useDraft(`chat.${draft}`);
  const [isDraggedOver, setDraggedOver] = useState(false);
  const pictures = usePictures();
  const message = text.trim();
  const canSend = message !== "" && !isStreaming && !pictures.isBusy;
  const send = async () => {
    if (canSend) {
      write("");
      const taken = pictures.take();
      const sent = taken.flatMap(({ id, file }) => (id === null ? [] : [{ id, name: file.name }]));
      // A refused message is not lost, nor are its pictures.
      await onSend(message, sent.length === 0 ? undefined : { pictures: sent }).catch(() => {
        restore(message);
        pictures.restore(taken);
      });
    }
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) {
      event.preventDefault();
      void send();
    } else if (event.key === "Escape" && isStreaming) {
      onStop();
    }
  };
  const take = (event: ClipboardEvent | DragEvent, data: DataTransfer) => {
    const files = [...data.files].filter(({ type }) => type.startsWith("image/"));
    if (files.length > 0) {
      event.preventDefault();
      pictures.add(files);
    }
  };
  return (
    <form
      className={isDraggedOver ? "composer dropping" : "composer"}
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
      onDragOver={(event) => {
        if (event.dataTransfer.types.includes("Files")) {
          event.preventDefault();
          setDraggedOver(true);
        }
      }}
      onDragLeave={() => setDraggedOver(false)}
      onDrop={(event) => {
        setDraggedOver(false);
        take(event, event.dataTransfer);
      }}
    >
      <Pictures {...pictures} />
      <PictureButton onChosen={pictures.add} />
      <textarea
        rows={1}
        value={text}
        aria-label={t("Message to Adiuva")}
        placeholder={t("Ask, or say what to do")}
        onChange={(event) => write(event.target.value)}
        onKeyDown={press}
        onPaste={(event) => take(event, event.clipboardData)}
      />
      {isStreaming ? (
        <button type="button" className="send" aria-label={t("Stop the answer")} onClick={onStop}>
          <Icon name="stop" />
        </button>
      ) : (
        <button type="submit" className="send" aria-label={t("Send")} disabled={!canSend}>
          <Icon name="send" />
        </button>
      )}
    </form>
  );
}
