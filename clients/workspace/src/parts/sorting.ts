/** Rows of a table in an order. Pure. */
import type { RowOf } from "@adiuva/client/database";
import { oncePer } from "./once_per";

export type Order<T> = (one: T, other: T) => number;

const sorts = oncePer((rows: readonly unknown[]) => oncePer((order: Order<unknown>) => rows.toSorted(order)));

/** Sorted once for the same rows and the same function, not for each component, opened page or letter of a search. */
export function sortedBy<T>(rows: readonly T[], order: Order<T>): readonly T[] {
  return sorts(rows)(order as Order<unknown>) as readonly T[];
}

/** Tasks without a date come last, and what is done after all others. */
export const byDueDate: Order<RowOf["tasks"]> = (one, other) => {
  const [isDone, isOtherDone] = [one.status === "done", other.status === "done"];
  if (isDone !== isOtherDone) {
    return isDone ? 1 : -1;
  }
  return (one.dueDate ?? Number.MAX_VALUE) - (other.dueDate ?? Number.MAX_VALUE);
};
