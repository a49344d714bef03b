/** What the timeline shows. Pure. */
import type { RowOf } from "@adiuva/client/database";
import type { Lane } from "../blocks/GanttStrip";
import { t } from "../i18n/translate";
import { existing } from "../parts/existing";

/** The most lanes of tasks that a strip shows. */
const SHOWN_TASKS = 50;

export interface Group {
  /** The project's name; null without one. */
  readonly id: string | null;
  readonly name: string;
  readonly lanes: readonly Lane[];
  /** How many tasks are not shown as lanes. */
  readonly left: number;
}

/** Everything with a date, by project; projects without any are left out, and so are archived ones. */
export function groupsOf(
  projects: readonly RowOf["projects"][],
  checkpoints: readonly RowOf["checkpoints"][],
  tasks: readonly RowOf["tasks"][],
): Group[] {
  const dated = new Map<string | null, { lanes: Lane[]; due: Lane[] }>();
  const there = existing(projects);
  const of = (id: string | null) => {
    const project = there(id);
    const known = dated.get(project) ?? { lanes: [], due: [] };
    dated.set(project, known);
    return known;
  };
  for (const { id, title, date, projectId } of checkpoints) {
    of(projectId).lanes.push({ id, title, date, entity: "checkpoint" });
  }
  for (const { id, title, dueDate, projectId, status } of tasks) {
    if (status !== "done" && dueDate !== null) {
      of(projectId).due.push({ id, title, date: dueDate, entity: "task" });
    }
  }
  const shownProjects = projects.filter(({ status }) => status !== "archived");
  return [...shownProjects, { id: null, name: t("Without a project") }].flatMap(({ id, name }) => {
    const { lanes, due } = dated.get(id) ?? { lanes: [], due: [] };
    const first = due.sort((one, other) => one.date - other.date).slice(0, SHOWN_TASKS);
    const shown = [...lanes, ...first];
    return shown.length === 0 ? [] : [{ id, name, lanes: shown, left: Math.max(0, due.length - SHOWN_TASKS) }];
  });
}
