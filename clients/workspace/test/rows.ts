/** Rows for tests. */
import type { RowOf } from "@adiuva/client/database";

/** An open task that is called like its id, but for what is `given`. */
export function task(id: string, given: Partial<RowOf["tasks"]> = {}): RowOf["tasks"] {
  return {
    id,
    projectId: null,
    title: id,
    description: null,
    status: "todo",
    priority: "medium",
    assignee: null,
    dueDate: null,
    isAiSuggested: 0,
    isApproved: 1,
    createdAt: 0,
    ...given,
  };
}
