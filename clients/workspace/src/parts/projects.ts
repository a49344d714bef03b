/** All projects by name, archived ones too. */
import type { RowOf } from "@adiuva/client/database";
import { useTable } from "../rpc/tables";

type Project = RowOf["projects"];

// Made once: creating one takes far longer than using it.
const COLLATOR = new Intl.Collator(undefined, { sensitivity: "base", numeric: true });
const sorted = new WeakMap<readonly Project[], readonly Project[]>();

/** Null until they are loaded. */
export function useProjects(): readonly Project[] | null {
  const rows = useTable("projects");
  return rows && byName(rows);
}

/** Sorted once for all components that show the same rows. */
function byName(rows: readonly Project[]): readonly Project[] {
  const known = sorted.get(rows) ?? rows.toSorted((one, other) => COLLATOR.compare(one.name, other.name));
  sorted.set(rows, known);
  return known;
}
