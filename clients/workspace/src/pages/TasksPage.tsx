import { useDeferredValue, useMemo, useState } from "react";
import { useLocation } from "wouter";
import { useContextualScope } from "../chat/ContextualChatProvider";
import { EmptyState } from "../parts/EmptyState";
import { PageFrame } from "../parts/PageFrame";
import { ProjectSelect } from "../parts/ProjectSelect";
import { Scroller } from "../parts/Scroller";
import { useRow, useRows } from "../rpc/RpcProvider";
import { TaskDialog } from "./TaskDialog";
import { TaskList } from "./TaskList";

/** `taskId` is the open one. */
export function TasksPage({ taskId }: { taskId?: string }) {
  const [, go] = useLocation();
  const [status, setStatus] = useState("open");
  const [projectId, setProjectId] = useState("");
  const [search, setSearch] = useState("");
  const [isNew, setNew] = useState(false);
  const sought = useDeferredValue(search.trim());
  const filters = useMemo(
    () => ({
      ...(status === "open" || status === "all" ? {} : { status }),
      ...(projectId === "" ? {} : { projectId }),
      ...(sought === "" ? {} : { search: sought }),
    }),
    [status, projectId, sought],
  );
  const ordered = useMemo(() => ({ ...filters, orderBy: "dueDate" }), [filters]);
  const rows = useRows("tasks", ordered);
  const projects = useRows("projects", { includeArchived: true });
  const names = useMemo(() => new Map((projects ?? []).map(({ id, name }) => [id, name])), [projects]);
  const tasks = useMemo(
    () => (status === "open" ? rows?.filter((task) => task.status !== "done") : rows) ?? null,
    [rows, status],
  );
  const hasFilters = Object.keys(filters).length > 0;
  useContextualScope({ page: "tasks", entityType: null, ...(hasFilters ? { filters } : {}) });
  return (
    <PageFrame
      title="Tasks"
      scrolls={false}
      actions={
        <button type="button" className="button primary" onClick={() => setNew(true)}>
          New task
        </button>
      }
    >
      <search className="filters">
        <input
          className="input search"
          type="search"
          aria-label="Search tasks"
          placeholder="Search"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
        <select
          className="input"
          aria-label="Status"
          value={status}
          onChange={(event) => setStatus(event.target.value)}
        >
          <option value="open">Open</option>
          <option value="all">All</option>
          <option value="todo">To do</option>
          <option value="in_progress">In progress</option>
          <option value="done">Done</option>
        </select>
        <ProjectSelect label="Project" none="Every project" hasArchived value={projectId} onChange={setProjectId} />
      </search>
      {tasks !== null && tasks.length > 0 && (
        <Scroller>
          {(ref) => (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
            <section className="list" ref={ref} tabIndex={0} aria-label="Tasks">
              <TaskList tasks={tasks} projects={names} />
            </section>
          )}
        </Scroller>
      )}
      {tasks?.length === 0 && (
        <EmptyState
          line={
            hasFilters || rows?.length !== 0
              ? "No task matches. You can also ask:"
              : "No tasks yet. Write one down, or say what there is to do:"
          }
          offersData={!hasFilters && rows?.length === 0}
        />
      )}
      {isNew && <TaskDialog task={null} projectId={projectId || null} onClose={() => setNew(false)} />}
      {taskId !== undefined && <OpenTask id={taskId} onClose={() => go("/tasks")} />}
    </PageFrame>
  );
}

function OpenTask({ id, onClose }: { id: string; onClose: () => void }) {
  const task = useRow("tasks", id);
  if (task === undefined) {
    return null;
  }
  return task === null ? (
    <p className="alert" role="alert">
      There is no such task any more.
    </p>
  ) : (
    <TaskDialog task={task} onClose={onClose} />
  );
}
