/** The tasks that an answer shows, by their titles: its tables follow the rows. */
import { createContext, useContext } from "react";
import type { Part } from "./parts";

/** Ids by title. */
export type TasksOfAnswer = ReadonlyMap<string, string>;

const Context = createContext<TasksOfAnswer>(new Map());
export const TasksOfAnswerProvider = Context.Provider;

export function useTasksOfAnswer(): TasksOfAnswer {
  return useContext(Context);
}

export function namesTask(tasks: TasksOfAnswer, cell: unknown): boolean {
  return typeof cell === "string" && tasks.has(cell.trim());
}

/** Two tasks of the same title cannot be told apart, so neither is in it. */
export function tasksIn(parts: readonly Part[]): TasksOfAnswer {
  const tasks = new Map<string, string>();
  const doubled = new Set<string>();
  for (const part of parts) {
    if (part.type !== "block" || part.data.entity !== "task" || !Array.isArray(part.data.items)) {
      continue;
    }
    for (const { id, title } of part.data.items as { id?: unknown; title?: unknown }[]) {
      if (typeof id === "string" && typeof title === "string") {
        const known = tasks.get(title.trim());
        if (known !== undefined && known !== id) {
          doubled.add(title.trim());
        }
        tasks.set(title.trim(), id);
      }
    }
  }
  for (const title of doubled) {
    tasks.delete(title);
  }
  return tasks;
}
