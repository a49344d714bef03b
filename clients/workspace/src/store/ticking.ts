/** Marking a task as done, and back. */
import type { RowOf, Tables } from "@adiuva/client/database";

type Status = RowOf["tasks"]["status"];

export async function tick(tables: Tables, id: string, isDone: boolean): Promise<void> {
  await tables.update("tasks", id, { status: isDone ? "done" : await statusBefore(tables, id) });
}

/** The status that a task had before it was done, from the journal; `todo` if that is not kept any more. */
async function statusBefore(tables: Tables, id: string): Promise<Status> {
  for (const { changes } of await tables.historyOf(id)) {
    const done = changes.find(({ id: of, after }) => of === id && after?.status === "done");
    if (done?.before && done.before.status !== "done") {
      return done.before.status as Status;
    }
  }
  return "todo";
}
