import { t } from "../i18n/translate";
import { useStore } from "../rpc/RpcProvider";

/** Ticks a task where it is shown. Unticked, it is as it was: `before` it was done, else to do. */
export function TaskTick({ id, title, status }: { id: string; title: string; status: unknown }) {
  const store = useStore();
  const isDone = status === "done";
  return (
    <input
      type="checkbox"
      className="tick-box"
      checked={isDone}
      aria-label={t("Done: {title}", { title })}
      onChange={() => void store.update("tasks", id, { status: isDone ? "todo" : "done" })}
    />
  );
}
