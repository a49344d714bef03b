/** The marks of what is never shared, as the server stores them. Pure. */
import type { TableName } from "../../rpc/messages";
import type { Edit } from "./useSetting";

export interface Marks {
  readonly tables: readonly TableName[];
  readonly projects: readonly string[];
}

export const UNMARKED: Marks = { tables: [], projects: [] };

export function markTable(table: TableName, isMarked: boolean): Edit<Marks> {
  return (marks) => ({ ...marks, tables: marked(marks.tables, table, isMarked) });
}

export function markProject(id: string, isMarked: boolean): Edit<Marks> {
  return (marks) => ({ ...marks, projects: marked(marks.projects, id, isMarked) });
}

function marked<T>(all: readonly T[], one: T, isMarked: boolean): readonly T[] {
  const others = all.filter((each) => each !== one);
  return isMarked ? [...others, one] : others;
}
