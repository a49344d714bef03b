/** The columns of a board. Pure. */
import type { RowOf } from "@adiuva/client/database";
import { t } from "../i18n/translate";
import { existing } from "../parts/existing";
import type { Column } from "./TaskBoard";
import { STATES } from "./TaskPickers";
import type { Task } from "./view";

export function columnsOf(
  tasks: readonly Task[],
  of: "status" | "project",
  projects: readonly RowOf["projects"][],
): Column[] {
  if (of === "status") {
    return STATES.map(([status, name]) => ({
      id: status,
      name: t(name),
      tasks: tasks.filter((task) => task.status === status),
      updates: { status },
    }));
  }
  const byProject = new Map<string | null, Task[]>();
  const there = existing(projects);
  for (const task of tasks) {
    const project = there(task.projectId);
    const known = byProject.get(project) ?? [];
    byProject.set(project, known);
    known.push(task);
  }
  const shown = projects.filter(({ id, status }) => status === "active" || byProject.has(id));
  return [
    { id: "none", name: t("No project"), tasks: byProject.get(null) ?? [], updates: { projectId: null } },
    ...shown.map(({ id, name }) => ({ id, name, tasks: byProject.get(id) ?? [], updates: { projectId: id } })),
  ];
}
