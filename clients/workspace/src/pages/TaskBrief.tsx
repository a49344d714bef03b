import type { RowOf } from "@adiuva/client/database";
import { useContextualChat } from "../chat/ContextualChatProvider";

/** Asks in the sidebar for the task's brief. */
export function TaskBrief({ task: { id, title }, onAsked }: { task: RowOf["tasks"]; onAsked: () => void }) {
  const { open, toggle, send, isStreaming } = useContextualChat();
  const ask = () => {
    onAsked();
    if (!open) {
      toggle();
    }
    void send(`What should I know before I begin “${title}”?`, { brief: { of: "task", taskId: id } }).catch(
      () => undefined,
    );
  };
  return (
    <p className="row task-brief">
      <button type="button" className="button" disabled={isStreaming} onClick={ask}>
        Brief me on it
      </button>
      <span className="small muted">What to know before you begin, in the chat beside the page.</span>
    </p>
  );
}
