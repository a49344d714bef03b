/** Values of rows as people read them. Pure. */
import { dayShown } from "../parts/dates";

const MOMENTS: ReadonlySet<string> = new Set(["dueDate", "date", "createdAt", "updatedAt"]);

export function valueShown(column: string, value: unknown): string {
  if (value === null || value === undefined || value === "") {
    return "–";
  }
  if (MOMENTS.has(column) && typeof value === "number") {
    return dayShown(value);
  }
  if (column === "assignee" && typeof value === "string") {
    return namesOf(value).join(", ");
  }
  return String(value).replace("in_progress", "in progress");
}

/** The names in a JSON array; none when it is not one. */
export function namesOf(assignee: string | null): string[] {
  try {
    const names: unknown = JSON.parse(assignee ?? "[]");
    return Array.isArray(names) ? names.map(String) : [];
  } catch {
    return [];
  }
}
