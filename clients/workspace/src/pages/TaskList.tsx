/** The tasks of a project, in their order. */
import type { RowOf } from "@adiuva/client/database";
import { useMemo } from "react";
import { counted } from "../parts/counted";
import { Problem } from "../parts/Problem";
import { BulkBar } from "../tasks/BulkBar";
import { TaskLines } from "../tasks/TaskLines";
import { useTaskActions } from "../tasks/useTaskActions";

export function TaskList({ tasks }: { tasks: readonly RowOf["tasks"][] }) {
  const order = useMemo(() => tasks.map(({ id }) => id), [tasks]);
  const actions = useTaskActions(order);
  const groups = useMemo(() => [{ id: "all", name: "", tasks }], [tasks]);
  return (
    <>
      <BulkBar tasks={tasks} actions={actions} />
      <Problem error={actions.error} />
      <TaskLines label={counted(tasks.length, "task")} groups={groups} actions={actions} />
    </>
  );
}
