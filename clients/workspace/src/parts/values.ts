/** Values of rows in readable form. */
import { msg, t } from "../i18n/translate";
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
  const worded = WORDED[column];
  return worded !== undefined && typeof value === "string" ? worded(value) : String(value);
}

const STATUSES: Readonly<Record<string, string>> = {
  todo: msg("to do"),
  in_progress: msg("in progress"),
  done: msg("done"),
  active: msg("active"),
  archived: msg("archived"),
};

/** `to do`, `in progress`, `done`; other statuses unchanged. */
export function statusShown(status: string): string {
  return t(STATUSES[status] ?? status.replaceAll("_", " "));
}

const PRIORITIES: Readonly<Record<string, string>> = { high: msg("high"), medium: msg("medium"), low: msg("low") };

export function priorityShown(priority: string): string {
  return t(PRIORITIES[priority] ?? priority);
}

const WORDED: Readonly<Record<string, (value: string) => string>> = { status: statusShown, priority: priorityShown };
