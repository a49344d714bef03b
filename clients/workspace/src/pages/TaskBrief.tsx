import type { RowOf } from "@adiuva/client/database";
import { useContextualChat } from "../chat/ContextualChatProvider";
import { withoutIsolates } from "../i18n/isolated";
import { t } from "../i18n/translate";

/** Asks in the sidebar for the task's brief. */
export function TaskBrief({ task: { id, title }, onAsked }: { task: RowOf["tasks"]; onAsked: () => void }) {
  const { open, toggle, send, isStreaming } = useContextualChat();
  const ask = () => {
    onAsked();
    if (!open) {
      toggle();
    }
    void send(withoutIsolates(t("What should I know before I begin “{title}”?", { title })), {
      brief: { of: "task", taskId: id },
    }).catch(() => undefined);
  };
  return (
    <p className="row task-brief">
      <button type="button" className="button" disabled={isStreaming} onClick={ask}>
        {t("Brief me on it")}
      </button>
      <span className="small muted">{t("What to know before you begin, in the chat beside the page.")}</span>
    </p>
  );
}
