/** Which tasks a page shows, in which order and form: kept in its address, so that Back and a saved view restore it. Pure. */
import type { RowOf } from "@adiuva/client/database";
import { msg } from "../i18n/translate";
import { daysFrom, startOfDay } from "../parts/dates";
import { foldedText, wordsOf } from "../parts/folding";
import { namesOf } from "../parts/names";
import { oncePer } from "../parts/once_per";
import { type Order, sortedBy } from "../parts/sorting";

export type Task = RowOf["tasks"];

const CHOICES = {
  status: ["open", "all", "todo", "in_progress", "done"],
  priority: ["", "high", "medium", "low"],
  sort: ["due", "priority", "title", "created", "project"],
  as: ["list", "status", "project"],
} as const;

export interface TaskView {
  readonly search: string;
  readonly status: (typeof CHOICES.status)[number];
  readonly priority: (typeof CHOICES.priority)[number];
  /** Empty for all. */
  readonly projectId: string;
  /** By due date in groups. */
  readonly sort: (typeof CHOICES.sort)[number];
  /** A list, or a board of states or of projects. */
  readonly as: (typeof CHOICES.as)[number];
}

export const USUAL: TaskView = { search: "", status: "open", priority: "", projectId: "", sort: "due", as: "list" };

const KEYS = Object.keys(USUAL) as (keyof TaskView)[];

/** What an address says; the usual for the rest. */
export function readView(query: string): TaskView {
  const given = new URLSearchParams(query);
  const view: Record<string, string> = { ...USUAL };
  for (const key of KEYS) {
    const value = given.get(key);
    const choices: readonly string[] | undefined = key in CHOICES ? CHOICES[key as keyof typeof CHOICES] : undefined;
    if (value !== null && (choices === undefined || choices.includes(value))) {
      view[key] = value;
    }
  }
  return view as unknown as TaskView;
}

/** The query of an address, with its question mark; empty for the usual view. */
export function addressOf(view: TaskView): string {
  const query = new URLSearchParams();
  for (const key of KEYS) {
    if (view[key] !== USUAL[key]) {
      query.set(key, view[key]);
    }
  }
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}

const searchedText = oncePer((task: Task) =>
  foldedText([task.title, task.description, ...namesOf(task.assignee)].join("\n")),
);

export interface Around {
  /** The names of the projects by id. */
  readonly names: ReadonlyMap<string, string>;
  /** Tasks that are shown for another moment although they are done. */
  readonly lingering: ReadonlySet<string>;
}

/** The tasks of a view, in its order. */
export function tasksIn(tasks: readonly Task[], view: TaskView, { names, lingering }: Around): Task[] {
  const words = wordsOf(view.search);
  return sortedBy(tasks, orderOf(view.sort, names)).filter(
    (task) =>
      (hasStatus(task, view.status) || lingering.has(task.id)) &&
      (view.priority === "" || task.priority === view.priority) &&
      (view.projectId === "" || task.projectId === view.projectId) &&
      words.every((word) => searchedText(task).includes(word)),
  );
}

function hasStatus({ status }: Task, wanted: TaskView["status"]): boolean {
  return wanted === "all" || (wanted === "open" ? status !== "done" : status === wanted);
}

const RANKS = { high: 0, medium: 1, low: 2 };
// Made once: creating one takes far longer than using it.
const COLLATOR = new Intl.Collator(undefined, { sensitivity: "base", numeric: true });

type TaskOrder = Order<Task>;

const byDue: TaskOrder = (one, other) =>
  (one.dueDate ?? Number.POSITIVE_INFINITY) - (other.dueDate ?? Number.POSITIVE_INFINITY) || byPriority(one, other);
const byPriority: TaskOrder = (one, other) => RANKS[one.priority] - RANKS[other.priority];

const ORDERS: Readonly<Record<Exclude<TaskView["sort"], "project">, TaskOrder>> = {
  due: (one, other) => compared(byDue(one, other)),
  priority: (one, other) => byPriority(one, other) || compared(byDue(one, other)),
  title: (one, other) => COLLATOR.compare(one.title, other.title),
  created: (one, other) => other.createdAt - one.createdAt,
};

/** The same function for the same names, so that nothing is sorted twice. */
const byProject = oncePer((names: ReadonlyMap<string, string>): TaskOrder => {
  const nameOf = ({ projectId }: Task) => names.get(projectId ?? "") ?? "\uffff";
  return (one, other) => COLLATOR.compare(nameOf(one), nameOf(other)) || compared(byDue(one, other));
});

function orderOf(sort: TaskView["sort"], names: ReadonlyMap<string, string>): TaskOrder {
  return sort === "project" ? byProject(names) : ORDERS[sort];
}

/** Two tasks without a date differ by no number. */
function compared(difference: number): number {
  return Number.isNaN(difference) ? 0 : difference;
}

export interface TaskGroup {
  readonly id: string;
  readonly name: string;
  readonly tasks: readonly Task[];
}

const GROUPS = [
  ["overdue", msg("Overdue")],
  ["today", msg("Today")],
  ["week", msg("This week")],
  ["later", msg("Later")],
  ["none", msg("No date")],
  ["done", msg("Done")],
] as const;

/** By when they are due, without empty groups. What is done comes last, but for what lingers in its place. */
export function groupsOf(tasks: readonly Task[], now: number, lingering: ReadonlySet<string>): TaskGroup[] {
  const ends = [startOfDay(now), daysFrom(now, 1), daysFrom(now, 7)] as const;
  const groups = new Map<string, Task[]>(GROUPS.map(([id]) => [id, []]));
  for (const task of tasks) {
    const isOver = task.status === "done" && !lingering.has(task.id);
    groups.get(isOver ? "done" : groupOf(task.dueDate, ends))?.push(task);
  }
  return GROUPS.map(([id, name]) => ({ id, name, tasks: groups.get(id) ?? [] })).filter(
    (group) => group.tasks.length > 0,
  );
}

function groupOf(due: number | null, [today, tomorrow, week]: readonly [number, number, number]): string {
  if (due === null) {
    return "none";
  }
  return due < today ? "overdue" : due < tomorrow ? "today" : due < week ? "week" : "later";
}

/** `[done, all]` of the boxes in a Markdown text; null without any. */
export function checklistOf(description: string | null): readonly [number, number] | null {
  const boxes = description?.match(/^[ \t]*[-*+] \[[ xX]\] /gm);
  return boxes == null ? null : [boxes.filter((box) => /\[[xX]\]/.test(box)).length, boxes.length];
}
