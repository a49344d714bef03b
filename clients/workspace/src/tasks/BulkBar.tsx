/** What is done to all selected tasks at once, as one change. */
import { useEffect } from "react";
import { numberShown } from "../i18n/formats";
import { msg, t } from "../i18n/translate";
import { focusPage, isFocusLost } from "../parts/useFocusInside";
import type { Picked, TaskActions } from "./useTaskActions";
import type { Task } from "./view";

const PICKED: readonly (readonly [what: Picked, name: string])[] = [
  ["date", msg("Date")],
  ["project", msg("Project")],
  ["priority", msg("Priority")],
  ["status", msg("Status")],
];

export function BulkBar({ tasks, actions }: { tasks: readonly Task[]; actions: TaskActions }) {
  const { selected } = actions;
  const chosen = selected.size === 0 ? [] : tasks.filter(({ id }) => selected.has(id));
  const count = t("{count} selected", { count: numberShown(chosen.length) });
  return (
    <>
      {/* There before it says something: only then it is heard. */}
      <p className="unseen" role="status">
        {chosen.length > 0 && count}
      </p>
      {chosen.length > 0 && <Bar chosen={chosen} count={count} actions={actions} />}
    </>
  );
}

function Bar({ chosen, count, actions }: { chosen: readonly Task[]; count: string; actions: TaskActions }) {
  const { change, setSelected, row, isChanging } = actions;
  useFocusAfterwards();
  return (
    <div className="bulk" role="toolbar" aria-label={t("Selected tasks")}>
      <strong>{count}</strong>
      <button
        type="button"
        className="button small"
        disabled={isChanging}
        onClick={() => change(chosen, { status: "done" })}
      >
        {t("Mark as done")}
      </button>
      {PICKED.map(([what, name]) => (
        <button
          key={what}
          type="button"
          className="button small"
          disabled={isChanging}
          onClick={(event) => row.pick(what, chosen, event.currentTarget)}
        >
          {t(name)}
        </button>
      ))}
      <button type="button" className="button small danger" disabled={isChanging} onClick={() => change(chosen, null)}>
        {t("Delete")}
      </button>
      <button type="button" className="button small quiet" disabled={isChanging} onClick={() => setSelected([])}>
        {t("Select none")}
      </button>
    </div>
  );
}

/** The button that was pressed goes with the bar: then the page has the focus, from where `j` leads to the first task. */
function useFocusAfterwards(): void {
  useEffect(
    () => () => {
      if (isFocusLost()) {
        focusPage();
      }
    },
    [],
  );
}
