/** What is done to all selected tasks at once, as one change. */
import { msg, t } from "../i18n/translate";
import type { Picked, TaskActions } from "./useTaskActions";
import type { Task } from "./view";

const PICKED: readonly (readonly [what: Picked, name: string])[] = [
  ["date", msg("Date")],
  ["project", msg("Project")],
  ["priority", msg("Priority")],
  ["status", msg("Status")],
];

export function BulkBar({ tasks, actions }: { tasks: readonly Task[]; actions: TaskActions }) {
  const { selected, change, setSelected, row } = actions;
  const chosen = tasks.filter(({ id }) => selected.has(id));
  if (chosen.length === 0) {
    return null;
  }
  return (
    <div className="bulk" role="toolbar" aria-label={t("Selected tasks")}>
      <strong role="status">{t("{count} selected", { count: chosen.length })}</strong>
      <button type="button" className="button small" onClick={() => change(chosen, { status: "done" })}>
        {t("Mark as done")}
      </button>
      {PICKED.map(([what, name]) => (
        <button
          key={what}
          type="button"
          className="button small"
          onClick={(event) => row.pick(what, chosen, event.currentTarget)}
        >
          {t(name)}
        </button>
      ))}
      <button type="button" className="button small danger" onClick={() => change(chosen, null)}>
        {t("Delete")}
      </button>
      <button type="button" className="button small quiet" onClick={() => setSelected([])}>
        {t("Select none")}
      </button>
    </div>
  );
}
