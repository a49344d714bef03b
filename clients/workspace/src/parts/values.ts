/** Values of rows in readable form. Pure. */
import { dayShown, dueShown } from "./dates";
import { namesOf } from "./names";

/** How a column's times are shown: for creation times the day is enough. */
const MOMENTS: Readonly<Record<string, (moment: number) => string>> = {
  dueDate: dueShown,
  date: dueShown,
  createdAt: dayShown,
  updatedAt: dayShown,
};

export function valueShown(column: string, value: unknown): string {
  if (value === null || value === undefined || value === "") {
    return "–";
  }
  const shown = MOMENTS[column];
  if (shown !== undefined && typeof value === "number") {
    return shown(value);
  }
  if (column === "assignee" && typeof value === "string") {
    return namesOf(value).join(", ");
  }
  return typeof value === "string" && column === "status" ? statusShown(value) : String(value);
}

/** `to do`, `in progress`, `done`; other statuses unchanged. */
export function statusShown(status: string): string {
  return status === "todo" ? "to do" : status.replaceAll("_", " ");
}
