/** The forms by which the kinds of rows are told apart, also without colour. */
import type { Entity } from "../blocks/addresses";

const PATHS: Readonly<Record<Entity | "person", string>> = {
  task: "M2.5 2.5h11v11h-11zM5 8l2 2 4-4",
  project: "M1.5 4.5a1 1 0 0 1 1-1h3l1.5 1.5h6.5a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1h-11a1 1 0 0 1-1-1z",
  note: "M3.5 1.5h6l3 3v10h-9zM6 8h4M6 11h4",
  checkpoint: "M8 1.5l6.5 6.5L8 14.5 1.5 8z",
  person: "M8 8a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2.5 14.5c.5-3 2.5-4.5 5.5-4.5s5 1.5 5.5 4.5",
};

export function EntityMark({ entity }: { entity: Entity | "person" }) {
  return (
    <svg className={`entity-mark ${entity}`} viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[entity]} fill="none" stroke="currentColor" strokeWidth="1.4" strokeLinejoin="round" />
    </svg>
  );
}
