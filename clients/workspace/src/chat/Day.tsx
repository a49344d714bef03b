/** Today at a glance, from the rows of this device: no model is asked. */
import type { RowOf } from "@adiuva/client/database";
import { memo, useMemo } from "react";
import { Link } from "wouter";
import { addressOf } from "../blocks/addresses";
import { TaskTick } from "../blocks/TaskTick";
import { numberShown } from "../i18n/formats";
import { msg, t } from "../i18n/translate";
import { daysFrom, dueShown, isPast, startOfDay } from "../parts/dates";
import { EntityMark } from "../parts/EntityMark";
import { byDueDate, type Order, sortedBy } from "../parts/sorting";
import { useTable } from "../rpc/tables";
import { usePinned } from "./usePinned";

type Task = RowOf["tasks"];
type Checkpoint = RowOf["checkpoints"];

const byDate: Order<Checkpoint> = (one, other) => one.date - other.date;

const SHOWN_TASKS = 5;
const SHOWN_CHECKPOINTS = 3;

interface TodaysRows {
  readonly overdue: readonly Task[];
  readonly due: readonly Task[];
  readonly checkpoints: readonly Checkpoint[];
}

/** Null until the rows are loaded. */
function useToday(): TodaysRows | null {
  const today = startOfDay(Date.now());
  const tasks = useTable("tasks");
  const checkpoints = useTable("checkpoints");
  return useMemo(
    () => (tasks && checkpoints ? todaysRows(tasks, checkpoints, today) : null),
    [tasks, checkpoints, today],
  );
}

function todaysRows(tasks: readonly Task[], checkpoints: readonly Checkpoint[], today: number): TodaysRows {
  const tomorrow = daysFrom(today, 1);
  const dueOf = ({ dueDate }: Task) => dueDate ?? tomorrow;
  const open = sortedBy(tasks, byDueDate).filter((task) => task.status !== "done" && dueOf(task) < tomorrow);
  return {
    overdue: open.filter((task) => dueOf(task) < today),
    due: open.filter((task) => dueOf(task) >= today),
    checkpoints: sortedBy(checkpoints, byDate)
      .filter(({ date }) => date >= today)
      .slice(0, SHOWN_CHECKPOINTS),
  };
}

/** One line, also while a conversation is open. `onShow` shows the whole. */
export const DayLine = memo(function DayLine({ onShow }: { onShow: () => void }) {
  const today = useToday();
  const pinned = usePinned();
  const parts = [
    [today?.overdue.length, msg("{count, plural, one {# overdue} other {# overdue}}")],
    [today?.due.length, msg("{count, plural, one {# due today} other {# due today}}")],
    [pinned?.length, msg("{count, plural, one {# pinned} other {# pinned}}")],
  ] as const;
  const said = parts.flatMap(([count = 0, text]) => (count === 0 ? [] : [t(text, { count })]));
  return (
    <button type="button" className="button quiet day-line" onClick={onShow}>
      {said.length === 0 ? t("Today") : said.join(" · ")}
    </button>
  );
});

export function Day() {
  const today = useToday();
  if (today === null || (today.overdue.length === 0 && today.due.length === 0 && today.checkpoints.length === 0)) {
    return null;
  }
  return (
    <div className="day">
      <Tasks name={t("Overdue")} tasks={today.overdue} />
      <Tasks name={t("Due today")} tasks={today.due} />
      {today.checkpoints.length > 0 && (
        <section aria-label={t("Next checkpoints")}>
          <h3>{t("Next checkpoints")}</h3>
          <ul>
            {today.checkpoints.map(({ id, title, date }) => (
              <li key={id}>
                <EntityMark entity="checkpoint" />
                <Link href={addressOf("checkpoint", id)}>{title}</Link>
                <span className="pill date">{dueShown(date)}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

function Tasks({ name, tasks }: { name: string; tasks: readonly Task[] }) {
  const left = tasks.length - SHOWN_TASKS;
  return tasks.length === 0 ? null : (
    <section aria-label={name}>
      <h3>
        {name} <span className="count">{numberShown(tasks.length)}</span>
      </h3>
      <ul>
        {tasks.slice(0, SHOWN_TASKS).map(({ id, title, status, dueDate }) => (
          <li key={id}>
            <TaskTick id={id} title={title} status={status} />
            <Link href={addressOf("task", id)}>{title}</Link>
            {dueDate !== null && (
              <span className={isPast(dueDate) ? "pill date overdue" : "pill date"}>{dueShown(dueDate)}</span>
            )}
          </li>
        ))}
      </ul>
      {left > 0 && (
        <Link href="/tasks">{t("{count, plural, one {And # more} other {And # more}}", { count: left })}</Link>
      )}
    </section>
  );
}
