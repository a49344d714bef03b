import { lazy, Suspense, useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import { useLocation, useSearch } from "wouter";
import { useContextualScope } from "../chat/ContextualChatProvider";
import { t } from "../i18n/translate";
import { keyShown } from "../keys/keys";
import { useOpenOverlay } from "../keys/Shortcuts";
import { EmptyState } from "../parts/EmptyState";
import { NewButton } from "../parts/NewButton";
import { PageFrame } from "../parts/PageFrame";
import { Problem } from "../parts/Problem";
import { useProjectNames } from "../parts/projects";
import { Scroller } from "../parts/Scroller";
import { Unfetched } from "../parts/Unfetched";
import { countOf } from "../parts/words";
import { useRow } from "../rpc/RpcProvider";
import { useTable } from "../rpc/tables";
import { BulkBar } from "../tasks/BulkBar";
import { columnsOf } from "../tasks/columns";
import { fetchPickers } from "../tasks/pickers";
import { SavedViews } from "../tasks/SavedViews";
import { TaskFilters } from "../tasks/TaskFilters";
import { TaskLines } from "../tasks/TaskLines";
import { TaskPickers } from "../tasks/TaskPickers";
import { useTaskActions } from "../tasks/useTaskActions";
import { addressOf, groupsOf, readView, type Task, type TaskView, tasksIn } from "../tasks/view";
import { TaskDialog } from "./TaskDialog";

/** How long after the last key the address has the search. */
const PAUSE_MS = 400;
const NEW = "new";

const loadBoard = () => import("../tasks/TaskBoard");
const LazyBoard = lazy(() =>
  loadBoard().then(
    ({ TaskBoard }) => ({ default: TaskBoard }),
    () => ({ default: Unfetched }),
  ),
);

/** `taskId` is the open one; `new` for a new one. */
export function TasksPage({ taskId }: { taskId?: string }) {
  const openOverlay = useOpenOverlay();
  const [, go] = useLocation();
  const { view, query, search, setSearch, change } = useTaskView();
  const [isSelecting, setSelecting] = useState(false);
  const rows = useTable("tasks");
  const projects = useTable("projects");
  const names = useProjectNames();
  const order = useRef<readonly string[]>([]);
  const actions = useTaskActions(order);
  const { lingering } = actions;
  const shown = useMemo(() => rows && tasksIn(rows, view, { names, lingering }), [rows, view, names, lingering]);
  const isGrouped = view.sort === "due";
  const groups = useMemo(() => groupsIn(shown ?? [], isGrouped, lingering), [shown, isGrouped, lingering]);
  order.current = useMemo(() => groups.flatMap(({ tasks }) => tasks.map(({ id }) => id)), [groups]);
  usePickersAtHand();
  const filters = scopeOf(view);
  useContextualScope({ page: "tasks", entityType: null, ...(filters === null ? {} : { filters }) });
  // Back leads to what was before the list, not to what was closed or deleted.
  const close = () => go(`/tasks${query}`, { replace: true });
  return (
    <PageFrame
      title={t("Tasks")}
      scrolls={false}
      actions={
        <>
          <button
            type="button"
            className="button quiet"
            aria-pressed={isSelecting}
            onClick={() => {
              setSelecting(!isSelecting);
              actions.setSelected([]);
            }}
          >
            {t("Select")}
          </button>
          <NewButton name={t("New task")} onClick={() => go(`/tasks/${NEW}${query}`)} />
        </>
      }
    >
      <SavedViews query={query} />
      <TaskFilters view={view} search={search} onSearch={setSearch} onChange={change} />
      <Problem error={actions.error} />
      <BulkBar tasks={shown ?? []} actions={actions} />
      {shown !== null && shown.length > 0 && view.as === "list" && (
        <Scroller>
          {(ref) => (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
            <section className="list" ref={ref} tabIndex={0} aria-label={t("Tasks")}>
              <TaskLines
                label={countOf("tasks", shown.length)}
                groups={groups}
                hasHeadings={isGrouped}
                projects={names}
                actions={actions}
                query={query}
                isSelecting={isSelecting}
              />
            </section>
          )}
        </Scroller>
      )}
      {shown !== null && view.as !== "list" && (
        <Suspense>
          <LazyBoard columns={columnsOf(shown, view.as, projects ?? [])} actions={actions} query={query} />
          <TaskPickers actions={actions} />
        </Suspense>
      )}
      {shown?.length === 0 && view.as === "list" && (
        <EmptyState
          line={
            rows?.length !== 0
              ? t("No task matches. You can also ask:")
              : t(
                  "No tasks yet. One line is enough, such as “Call Anna tomorrow 5pm #Website !high”. You can also ask:",
                )
          }
          offersData={rows?.length === 0}
        >
          {rows?.length === 0 && (
            <button type="button" className="button primary" onClick={() => openOverlay("add")}>
              {t("Add a task in one line")} <kbd>{keyShown("Q")}</kbd>
            </button>
          )}
        </EmptyState>
      )}
      {taskId === NEW && <TaskDialog task={null} projectId={view.projectId || null} onClose={close} />}
      {taskId !== undefined && taskId !== NEW && <OpenTask id={taskId} onClose={close} />}
    </PageFrame>
  );
}

function groupsIn(tasks: readonly Task[], isGrouped: boolean, lingering: ReadonlySet<string>) {
  return isGrouped ? groupsOf(tasks, Date.now(), lingering) : [{ id: "all", name: "", tasks }];
}

/** The view that the address says. The search is used at once, and is in the address a moment after the last key. */
export function useTaskView() {
  const [, go] = useLocation();
  const query = useSearch();
  const said = useMemo(() => readView(query), [query]);
  const [search, setSearch] = useState(said.search);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another view, also one without a search, has its own
  useEffect(() => setSearch(said.search), [query]);
  const sought = useDeferredValue(search);
  const view = useMemo(() => ({ ...withAll(said), search: sought }), [said, sought]);
  const address = (changed: Partial<TaskView>) =>
    `${location.pathname.replace(/^\/app/, "")}${addressOf({ ...said, ...changed })}`;
  const write = (changed: Partial<TaskView>) => go(address(changed), { replace: true });
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what is typed is written later
  useEffect(() => {
    if (search === said.search) {
      return undefined;
    }
    const timer = setTimeout(() => write({ search }), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [search, query]);
  const change = (part: Partial<TaskView>) => write({ search, ...part });
  return { view, query: addressOf({ ...said, search }), search, setSearch, change };
}

/** A board of states shows all of them. */
function withAll(view: TaskView): TaskView {
  return view.as === "status" ? { ...view, status: "all" } : view;
}

/** What the assistant is told of the view; null if nothing is filtered. */
function scopeOf({ status, priority, projectId, search }: TaskView): Record<string, string> | null {
  const filters = {
    ...(status === "open" || status === "all" ? {} : { status }),
    ...(priority === "" ? {} : { priority }),
    ...(projectId === "" ? {} : { projectId }),
    ...(search.trim() === "" ? {} : { search: search.trim() }),
  };
  return Object.keys(filters).length === 0 ? null : filters;
}

const AT_REST_MS = 1500;

/** Without a connection they could no longer be fetched. */
function usePickersAtHand(): void {
  useEffect(() => {
    const fetchAll = () => void Promise.all([fetchPickers(), loadBoard()]).catch(() => undefined);
    const timer = setTimeout(fetchAll, AT_REST_MS);
    return () => clearTimeout(timer);
  }, []);
}

function OpenTask({ id, onClose }: { id: string; onClose: () => void }) {
  const task = useRow("tasks", id);
  if (task === undefined) {
    return null;
  }
  return task === null ? (
    <p className="alert" role="alert">
      {t("There is no such task any more.")}
    </p>
  ) : (
    <TaskDialog key={id} task={task} onClose={onClose} />
  );
}
