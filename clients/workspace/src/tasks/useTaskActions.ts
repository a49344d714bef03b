/** What can be done to tasks of a list, one or several, and what is open meanwhile. */
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { t } from "../i18n/translate";
import { useStore, useTask } from "../rpc/RpcProvider";
import { announce } from "../undo/announced";
import type { Task } from "./view";

/** How long a ticked task stays where it was. */
const LINGERING_MS = 6_000;

export type Picked = "date" | "project" | "priority" | "status";

export interface Picking {
  readonly what: Picked;
  readonly tasks: readonly Task[];
  readonly anchor: Element;
}

/** Everything here stays the same between renders, so that rows are not drawn again. */
export interface RowActions {
  /** False if it failed. */
  tick(task: Task): Promise<boolean>;
  rename(task: Task, title: string): void;
  /** Null ends it. */
  edit(id: string | null): void;
  pick(what: Picked, tasks: readonly Task[], anchor: Element): void;
  /** `isRange`: all from the last one that was selected. */
  select(id: string, isRange: boolean): void;
}

export interface TaskActions {
  readonly row: RowActions;
  readonly lingering: ReadonlySet<string>;
  readonly selected: ReadonlySet<string>;
  readonly editing: string | null;
  readonly picking: Picking | null;
  readonly error: string;
  /** Whether `change` is under way. */
  readonly isChanging: boolean;
  setSelected(ids: Iterable<string>): void;
  stopPicking(): void;
  /** Null deletes. Several are one change, which can be undone as a whole. */
  change(tasks: readonly Task[], updates: Partial<Task> | null): void;
}

/** `order` holds the ids of the tasks as they are shown; another order draws nothing again. */
export function useTaskActions(order: { readonly current: readonly string[] }): TaskActions {
  const store = useStore();
  const { run, error } = useTask();
  const bulk = useTask();
  const { lingering, linger } = useLingering();
  const [selected, setIds] = useState<ReadonlySet<string>>(new Set());
  const [editing, edit] = useState<string | null>(null);
  const [picking, setPicking] = useState<Picking | null>(null);
  const latest = useRef({ run, last: "" });
  latest.current.run = run;
  const setSelected = useCallback((ids: Iterable<string>) => setIds(new Set(ids)), []);
  const row = useMemo((): RowActions => {
    // By row: until it is read again, it does not say what was last wanted of it.
    const wanted = new WeakMap<Task, boolean>();
    const act = (what: () => Promise<unknown>) => latest.current.run(what);
    return {
      tick: async (task) => {
        const isDone = !(wanted.get(task) ?? task.status === "done");
        wanted.set(task, isDone);
        linger(task.id, isDone);
        const isStored = await act(() => store.tick(task.id, isDone));
        if (!isStored) {
          wanted.delete(task);
        }
        return isStored;
      },
      rename: ({ id, title }, given) => {
        edit(null);
        if (given.trim() !== "" && given.trim() !== title) {
          void act(() => store.update("tasks", id, { title: given.trim() }));
        }
      },
      edit,
      pick: (what, tasks, anchor) => setPicking({ what, tasks, anchor }),
      select: (id, isRange) => {
        const range = isRange ? { order: order.current, last: latest.current.last } : null;
        setIds((before) => selection(before, id, range));
        latest.current.last = id;
      },
    };
  }, [store, linger, order]);
  const change = (tasks: readonly Task[], updates: Partial<Task> | null) => {
    if (updates === null && bulk.isBusy) {
      // The same key once more: what it deletes is being deleted.
      return;
    }
    const ids = tasks.map(({ id }) => id);
    void bulk.run(async () => {
      const entry = await store.changeMany("tasks", ids, updates);
      if (updates === null || ids.length > 1) {
        announce({ text: updates === null ? deleted(ids.length) : changed(ids.length), entry });
      }
      if (updates === null) {
        setIds((before) => new Set([...before].filter((id) => !ids.includes(id))));
      }
    });
  };
  return {
    row,
    lingering,
    selected,
    editing,
    picking,
    error: error || bulk.error,
    isChanging: bulk.isBusy,
    setSelected,
    stopPicking: () => setPicking(null),
    change,
  };
}

function selection(
  before: ReadonlySet<string>,
  id: string,
  range: { readonly order: readonly string[]; readonly last: string } | null,
): ReadonlySet<string> {
  const now = new Set(before);
  const from = range === null ? -1 : range.order.indexOf(range.last);
  if (range !== null && from !== -1) {
    const to = range.order.indexOf(id);
    for (const each of range.order.slice(Math.min(from, to), Math.max(from, to) + 1)) {
      now.add(each);
    }
  } else if (!now.delete(id)) {
    now.add(id);
  }
  return now;
}

function useLingering() {
  const [lingering, setLingering] = useState<ReadonlySet<string>>(new Set());
  const timers = useRef(new Map<string, ReturnType<typeof setTimeout>>());
  useEffect(() => {
    const started = timers.current;
    return () => {
      for (const timer of started.values()) {
        clearTimeout(timer);
      }
    };
  }, []);
  const linger = useCallback((id: string, isDone: boolean) => {
    const forget = () => {
      timers.current.delete(id);
      setLingering((before) => new Set([...before].filter((each) => each !== id)));
    };
    clearTimeout(timers.current.get(id));
    if (isDone) {
      setLingering((before) => new Set([...before, id]));
      timers.current.set(id, setTimeout(forget, LINGERING_MS));
    } else {
      forget();
    }
  }, []);
  return { lingering, linger };
}

function changed(count: number): string {
  return t("{count, plural, one {# task} other {# tasks}} changed.", { count });
}

function deleted(count: number): string {
  return t("{count, plural, one {# task} other {# tasks}} deleted.", { count });
}
