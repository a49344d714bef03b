/** A list of tasks that can be opened or marked as done. */
import type { RowOf } from "@adiuva/client/database";
import { memo } from "react";
import { Link } from "wouter";
import { counted } from "../parts/counted";
import { dueShown, isPast } from "../parts/dates";
import { LongList } from "../parts/LongList";
import { namesOf } from "../parts/values";
import type { StoreApi } from "../rpc/messages";
import { useStore } from "../rpc/RpcProvider";

type Task = RowOf["tasks"];
type Names = ReadonlyMap<string, string>;

const ROW_PX = 52;

export function TaskList({ tasks, projects }: { tasks: readonly Task[]; projects?: Names }) {
  const store = useStore();
  return (
    <LongList label={counted(tasks.length, "task")} items={tasks} heightOf={() => ROW_PX}>
      {(task) => <TaskRow task={task} project={projects?.get(task.projectId ?? "")} store={store} />}
    </LongList>
  );
}

const TaskRow = memo(function TaskRow({
  task,
  project,
  store,
}: {
  task: Task;
  project?: string | undefined;
  store: StoreApi;
}) {
  const isDone = task.status === "done";
  const names = namesOf(task.assignee);
  return (
    <div className={isDone ? "task-row done" : "task-row"}>
      <input
        type="checkbox"
        checked={isDone}
        aria-label={`Done: ${task.title}`}
        onChange={() => void store.update("tasks", task.id, { status: isDone ? "todo" : "done" })}
      />
      <Link className="open" href={`/tasks/${task.id}`}>
        <span className="title">{task.title}</span>
        {project !== undefined && <span className="pill project">{project}</span>}
        {names.length > 0 && <span className="pill project">{names.join(", ")}</span>}
        {task.status === "in_progress" && <span className="pill project">in progress</span>}
        {task.priority !== "medium" && !isDone && <span className={`pill ${task.priority}`}>{task.priority}</span>}
        {task.dueDate !== null && (
          <span className={!isDone && isPast(task.dueDate) ? "pill overdue" : "pill"}>{dueShown(task.dueDate)}</span>
        )}
      </Link>
    </div>
  );
});
