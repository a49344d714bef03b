/** The addresses of the pages of entities that answers name. */
export type Entity = "task" | "project" | "note" | "checkpoint";

const PAGES: Record<Entity, string> = {
  task: "/tasks",
  project: "/projects",
  note: "/notes",
  checkpoint: "/timeline",
};

export function addressOf(entity: Entity, id: string): string {
  return `${PAGES[entity]}/${encodeURIComponent(id)}`;
}
