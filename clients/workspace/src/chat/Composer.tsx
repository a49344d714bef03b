/** The text field: Enter sends, Shift and Enter begins a new line. */
import { type KeyboardEvent, useState } from "react";
import { Icon } from "../parts/Icon";

export function Composer({
  onSend,
  onStop,
  isStreaming,
}: {
  onSend: (message: string) => Promise<void>;
  onStop: () => void;
  isStreaming: boolean;
}) {
  const [text, setText] = useState("");
  const message = text.trim();
  const canSend = message !== "" && !isStreaming;
  const send = async () => {
    if (canSend) {
      setText("");
      // A refused message is not lost.
      await onSend(message).catch(() => setText((now) => now || message));
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
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <textarea
        rows={1}
        value={text}
        aria-label="Message to Adiuva"
        placeholder="Ask, or say what to do"
        onChange={(event) => setText(event.target.value)}
        onKeyDown={press}
      />
      {isStreaming ? (
        <button type="button" className="send" aria-label="Stop the answer" onClick={onStop}>
          <Icon name="stop" />
        </button>
      ) : (
        <button type="submit" className="send" aria-label="Send" disabled={!canSend}>
          <Icon name="send" />
        </button>
      )}
    </form>
  );
}
