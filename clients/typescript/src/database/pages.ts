/** `page_details`: everything that a page of the client shows, in one answer. */
import { CallRefused } from "../errors.js";
import type { ReadCall } from "../executor/calls.js";
import { type Given, type Row, shown } from "../executor/values.js";
import type { Rows } from "./rows.js";

/** Comments come with a project's newest tasks only. */
const COMMENTED_TASKS = 20;

export type Page = Record<string, unknown>;

/**
 * The snapshot for `data.entityType` and `data.entityId`; null if there is no such row.
 *
 * Throws `CallRefused` for an unknown type, and for filters that it does not have.
 */
export async function pageDetails(rows: Rows, call: ReadCall): Promise<Page | null> {
  const entityType = call.text("entityType");
  switch (entityType) {
    case "project":
      return await pageOf(rows, "projects", call, project);
    case "task":
      return await pageOf(rows, "tasks", call, task);
    case "note":
      return await pageOf(rows, "notes", call, async (_rows, { content, ...row }) => ({
        note: { ...row, body: content },
      }));
    case "tasks_all":
      return { tasks: await rows.select("tasks", call.filters) };
    case "projects_all":
      return { projects: await rows.select("projects", call.filters) };
    case "timeline_all":
      return await timeline(rows, call.filters);
    default:
      throw new CallRefused(`There is no page of ${shown(entityType)}.`);
  }
}

async function pageOf(
  rows: Rows,
  table: "projects" | "tasks" | "notes",
  call: ReadCall,
  page: (rows: Rows, row: Row) => Promise<Page>,
): Promise<Page | null> {
  const row = await rows.get(table, call.text("entityId"));
  return row === null ? null : await page(rows, row);
}

async function project(rows: Rows, row: Row): Promise<Page> {
  const mine = { projectId: row.id };
  const newest = await rows.select("tasks", { ...mine, orderBy: "-createdAt" }, COMMENTED_TASKS);
  const comments: Row[] = [];
  for (const { id } of newest) {
    comments.push(...(await rows.select("taskComments", { taskId: id })));
  }
  return {
    project: row,
    tasks: await rows.select("tasks", mine),
    notes: (await rows.select("notes", mine)).map(({ content: _, ...note }) => note),
    milestones: await rows.select("checkpoints", { ...mine, orderBy: "date" }),
    comments,
  };
}

async function task(rows: Rows, row: Row): Promise<Page> {
  return {
    task: row,
    project: typeof row.projectId === "string" ? await rows.get("projects", row.projectId) : null,
    comments: await rows.select("taskComments", { taskId: row.id }),
    deps: [],
  };
}

async function timeline(rows: Rows, filters: Given): Promise<Page> {
  const checkpoints = await rows.select("checkpoints", filters);
  const tasks = await rows.select("tasks", filters);
  const events = [
    ...checkpoints.map((row) => event("checkpoint", row, row.date)),
    ...tasks.map((row) => ({ ...event("task", row, row.dueDate), status: row.status })),
  ];
  const dated = events.filter((each) => each.date !== null && each.date !== undefined);
  return { events: dated.sort((one, other) => Number(one.date) - Number(other.date)) };
}

function event(type: string, row: Row, date: Row[string] | undefined) {
  return { type, id: row.id, title: row.title, date, projectId: row.projectId };
}
