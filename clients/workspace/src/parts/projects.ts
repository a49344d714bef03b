/** All projects by name, archived ones too. */
import type { RowOf } from "@adiuva/client/database";
import { useTable } from "../rpc/tables";
import { oncePer } from "./once_per";
import { type Order, sortedBy } from "./sorting";

export type Project = RowOf["projects"];

// Made once: creating one takes far longer than using it.
const COLLATOR = new Intl.Collator(undefined, { sensitivity: "base", numeric: true });
const byName: Order<Project> = (one, other) => COLLATOR.compare(one.name, other.name);

/** Null until they are loaded. */
export function useProjects(): readonly Project[] | null {
  const rows = useTable("projects");
  return rows && sortedBy(rows, byName);
}

const NONE: ReadonlyMap<string, string> = new Map();
const namesById = oncePer(
  (rows: readonly Project[]): ReadonlyMap<string, string> => new Map(rows.map(({ id, name }) => [id, name])),
);

/** The names of all projects by id: the same map for as long as no project changes. */
export function useProjectNames(): ReadonlyMap<string, string> {
  const rows = useTable("projects");
  return rows === null ? NONE : namesById(rows);
}
