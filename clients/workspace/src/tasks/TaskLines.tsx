/** The rows of a list of tasks, in groups or not, with their keys. */
import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useMemo, useRef } from "react";
import { numberShown } from "../i18n/formats";
import { t } from "../i18n/translate";
import { isEditing, isInDialog } from "../keys/editing";
import { hasSingleKeys } from "../keys/keys";
import { LongList } from "../parts/LongList";
import { isFocusLost, useFocusInside } from "../parts/useFocusInside";
import { TaskPickers } from "./TaskPickers";
import { TaskRow } from "./TaskRow";
import type { TaskActions } from "./useTaskActions";
import type { Task, TaskGroup } from "./view";

const ROW_PX = 44;
const HEADING_PX = 44;

interface Line {
  readonly id: string;
  readonly task?: Task;
  readonly heading?: { readonly name: string; readonly count: number };
}

export interface TaskLinesProps {
  readonly label: string;
  readonly groups: readonly TaskGroup[];
  /** Without it the groups have no headings. */
  readonly hasHeadings?: boolean;
  readonly projects?: ReadonlyMap<string, string> | undefined;
  readonly actions: TaskActions;
  readonly query?: string;
  readonly isSelecting?: boolean;
}

export function TaskLines({
  label,
  groups,
  hasHeadings = false,
  projects,
  actions,
  query = "",
  isSelecting = false,
}: TaskLinesProps) {
  // The same lines keep the places that the list has measured for them.
  const lines = useMemo(() => linesOf(groups, hasHeadings), [groups, hasHeadings]);
  const { row, selected, editing, lingering } = actions;
  const isMarking = isSelecting || selected.size > 0;
  useSelectAll(isMarking, groups, actions.setSelected);
  return (
    <TaskKeys groups={groups} actions={actions}>
      <LongList label={label} items={lines} heightOf={({ task }) => (task === undefined ? HEADING_PX : ROW_PX)}>
        {({ task, heading }) =>
          task === undefined ? (
            <h2 className="group-heading">
              {t(heading?.name ?? "")} <span className="count">{numberShown(heading?.count ?? 0)}</span>
            </h2>
          ) : (
            <TaskRow
              task={task}
              project={projects?.get(task.projectId ?? "")}
              actions={row}
              query={query}
              isSelected={selected.has(task.id)}
              isSelecting={isMarking}
              isEdited={editing === task.id}
              isLingering={lingering.has(task.id)}
            />
          )
        }
      </LongList>
      <TaskPickers actions={actions} />
    </TaskKeys>
  );
}

function linesOf(groups: readonly TaskGroup[], hasHeadings: boolean): Line[] {
  return groups.flatMap(({ id, name, tasks }) => [
    ...(hasHeadings ? [{ id: `group ${id}`, heading: { name, count: tasks.length } }] : []),
    ...tasks.map((task) => ({ id: task.id, task })),
  ]);
}

/** While tasks are being selected, Ctrl-A selects all of them wherever the page has the focus, outside text fields. */
function useSelectAll(
  isSelecting: boolean,
  groups: readonly TaskGroup[],
  setSelected: TaskActions["setSelected"],
): void {
  useEffect(() => {
    if (!isSelecting) {
      return undefined;
    }
    const press = (event: globalThis.KeyboardEvent) => {
      if (isSelectAll(event) && !event.defaultPrevented && !isEditing(event.target) && !isInDialog()) {
        event.preventDefault();
        setSelected(idsOf(groups));
      }
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [isSelecting, groups, setSelected]);
}

function isSelectAll({ key, ctrlKey, metaKey }: Pick<globalThis.KeyboardEvent, "key" | "ctrlKey" | "metaKey">) {
  return (ctrlKey || metaKey) && key.toLowerCase() === "a";
}

/** The keys of a row that has the focus; Ctrl-A and Escape of all. */
function TaskKeys({
  groups,
  actions,
  children,
}: {
  groups: readonly TaskGroup[];
  actions: TaskActions;
  children: ReactNode;
}) {
  const list = useRef<HTMLDivElement>(null);
  useNextFocused(list, groups);
  const press = (event: KeyboardEvent<HTMLDivElement>) => {
    const element = event.target as HTMLElement;
    if (element.closest("input:not([type=checkbox]), [popover]") !== null) {
      return;
    }
    const tasks = groups.flatMap((group) => group.tasks);
    const id = element.closest<HTMLElement>(".task-row")?.dataset.id;
    const task = tasks.find((each) => each.id === id);
    if (pressed(event, task, tasks, actions)) {
      event.preventDefault();
      event.stopPropagation();
    }
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the rows in it have the focus
    <div ref={list} onKeyDown={press}>
      {children}
    </div>
  );
}

/** If the row with the focus is gone, as when it was ticked, the row in its place gets it. */
function useNextFocused(list: RefObject<HTMLDivElement | null>, groups: readonly TaskGroup[]): void {
  const inside = useFocusInside(list);
  const shown = useRef(groups);
  useEffect(() => {
    const before = shown.current;
    shown.current = groups;
    const id = inside.current?.closest<HTMLElement>(".task-row")?.dataset.id;
    if (id === undefined || !isFocusLost()) {
      return;
    }
    const ids = idsOf(groups);
    const at = idsOf(before).indexOf(id);
    const next = ids[Math.min(at, ids.length - 1)];
    if (at !== -1 && next !== undefined) {
      const part = inside.current?.matches("input") ? "input" : ".open";
      list.current?.querySelector<HTMLElement>(`[data-id="${CSS.escape(next)}"] ${part}`)?.focus();
    }
  }, [list, inside, groups]);
}

function idsOf(groups: readonly TaskGroup[]): string[] {
  return groups.flatMap(({ tasks }) => tasks.map(({ id }) => id));
}

/** Whether the key meant something here. */
function pressed(
  event: KeyboardEvent<HTMLDivElement>,
  task: Task | undefined,
  tasks: readonly Task[],
  actions: TaskActions,
): boolean {
  const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
  if (isSelectAll(event)) {
    actions.setSelected(tasks.map(({ id }) => id));
    return true;
  }
  if (ctrlKey || metaKey || altKey || (/^[a-z]$/i.test(key) && !hasSingleKeys())) {
    return false;
  }
  if (key === "Escape" && actions.selected.size > 0) {
    actions.setSelected([]);
    return true;
  }
  if (key === "ArrowDown" || key === "j" || key === "ArrowUp" || key === "k") {
    return moved(event.currentTarget, key === "ArrowDown" || key === "j" ? 1 : -1);
  }
  return task !== undefined && onTask(key, { task, shiftKey, tasks, actions, element: event.currentTarget });
}

function moved(list: HTMLElement, by: 1 | -1): boolean {
  const links = [...list.querySelectorAll<HTMLElement>(".task-row .open")];
  const row = document.activeElement?.closest(".task-row");
  const at = links.findIndex((link) => link.closest(".task-row") === row);
  const next = links[at === -1 ? 0 : at + by];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
  return next !== undefined;
}

interface Pressed {
  readonly task: Task;
  readonly shiftKey: boolean;
  readonly tasks: readonly Task[];
  readonly actions: TaskActions;
  readonly element: HTMLElement;
}

const PICKED = { d: "date", m: "project", p: "priority", s: "status" } as const;

function onTask(key: string, { task, shiftKey, tasks, actions, element }: Pressed): boolean {
  const { row, selected, change } = actions;
  const chosen = selected.has(task.id) ? tasks.filter(({ id }) => selected.has(id)) : [task];
  if (key === "x" || key === "X") {
    row.select(task.id, shiftKey);
  } else if (key === "e" || key === "F2") {
    row.edit(task.id);
  } else if (key === " " && document.activeElement?.matches(".open")) {
    void row.tick(task);
  } else if (key === "Delete") {
    change(chosen, null);
  } else if (key in PICKED) {
    const anchor = element.querySelector(`[data-id="${CSS.escape(task.id)}"] .facts`);
    row.pick(PICKED[key as keyof typeof PICKED], chosen, anchor ?? element);
  } else {
    return false;
  }
  return true;
}
