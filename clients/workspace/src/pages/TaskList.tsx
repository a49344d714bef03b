/** Tasks in a list of which only what is in sight is drawn. */
import type { RowOf } from "@adiuva/client/database";
import { useVirtualizer } from "@tanstack/react-virtual";
import { memo, useRef } from "react";
import { Link } from "wouter";
import { namesOf } from "../chat/values";
import { useKeeper } from "../line/LineProvider";
import type { KeeperApi } from "../line/messages";
import { dayShown, isPast } from "../parts/dates";

type Task = RowOf["tasks"];
type Names = ReadonlyMap<string, string>;

const ROW_PX = 52;
const BEYOND_SIGHT = 12;

export function TaskList({ tasks, projects }: { tasks: readonly Task[]; projects: Names }) {
  const keeper = useKeeper();
  const scroller = useRef<HTMLElement>(null);
  const rows = useVirtualizer({
    count: tasks.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: BEYOND_SIGHT,
    getItemKey: (index) => tasks[index]?.id ?? index,
  });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="list" ref={scroller} tabIndex={0} aria-label="Tasks">
      <ul className="rows" aria-label={`${tasks.length} tasks`} style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ key, index, start }) => {
          const task = tasks[index];
          return task === undefined ? null : (
            <li
              key={key}
              aria-setsize={tasks.length}
              aria-posinset={index + 1}
              style={{ transform: `translateY(${start}px)` }}
            >
              <TaskRow task={task} project={projects.get(task.projectId ?? "")} keeper={keeper} />
            </li>
          );
        })}
      </ul>
    </section>
  );
}

export const TaskRow = memo(function TaskRow({
  task,
  project,
  keeper,
}: {
  task: Task;
  project?: string | undefined;
  keeper: KeeperApi;
}) {
  const isDone = task.status === "done";
  const names = namesOf(task.assignee);
  return (
    <div className={isDone ? "task-row done" : "task-row"}>
      <input
        type="checkbox"
        checked={isDone}
        aria-label={`Done: ${task.title}`}
        onChange={() => void keeper.update("tasks", task.id, { status: isDone ? "todo" : "done" })}
      />
      <Link className="open" href={`/tasks/${task.id}`}>
        <span className="title">{task.title}</span>
        {project !== undefined && <span className="pill project">{project}</span>}
        {names.length > 0 && <span className="pill project">{names.join(", ")}</span>}
        {task.status === "in_progress" && <span className="pill project">in progress</span>}
        {task.priority !== "medium" && !isDone && <span className={`pill ${task.priority}`}>{task.priority}</span>}
        {task.dueDate !== null && (
          <span className={!isDone && isPast(task.dueDate) ? "pill overdue" : "pill"}>{dayShown(task.dueDate)}</span>
        )}
      </Link>
    </div>
  );
});
