/** The tasks of a project, in their order. */
import type { RowOf } from "@adiuva/client/database";
import { useMemo, useRef } from "react";
import { Problem } from "../parts/Problem";
import { countOf } from "../parts/words";
import { BulkBar } from "../tasks/BulkBar";
import { TaskLines } from "../tasks/TaskLines";
import { useTaskActions } from "../tasks/useTaskActions";

export function TaskList({ tasks }: { tasks: readonly RowOf["tasks"][] }) {
  const order = useRef<readonly string[]>([]);
  order.current = useMemo(() => tasks.map(({ id }) => id), [tasks]);
  const actions = useTaskActions(order);
  const groups = useMemo(() => [{ id: "all", name: "", tasks }], [tasks]);
  return (
    <>
      <BulkBar tasks={tasks} actions={actions} />
      <Problem error={actions.error} />
      <TaskLines label={countOf("tasks", tasks.length)} groups={groups} actions={actions} />
    </>
  );
}
