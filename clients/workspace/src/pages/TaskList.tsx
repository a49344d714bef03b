/** Tasks in a list, each to be opened or done. */
import type { RowOf } from "@adiuva/client/database";
import { memo } from "react";
import { Link } from "wouter";
import { useKeeper } from "../line/LineProvider";
import type { KeeperApi } from "../line/messages";
import { counted } from "../parts/counted";
import { dueShown, isPast } from "../parts/dates";
import { LongList } from "../parts/LongList";
import { namesOf } from "../parts/values";

type Task = RowOf["tasks"];
type Names = ReadonlyMap<string, string>;

const ROW_PX = 52;

export function TaskList({ tasks, projects }: { tasks: readonly Task[]; projects?: Names }) {
  const keeper = useKeeper();
  return (
    <LongList label={counted(tasks.length, "task")} items={tasks} heightOf={() => ROW_PX}>
      {(task) => <TaskRow task={task} project={projects?.get(task.projectId ?? "")} keeper={keeper} />}
    </LongList>
  );
}

const TaskRow = memo(function TaskRow({
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
          <span className={!isDone && isPast(task.dueDate) ? "pill overdue" : "pill"}>{dueShown(task.dueDate)}</span>
        )}
      </Link>
    </div>
  );
});
