import type { RowOf } from "@adiuva/client/database";
import { expect, test } from "vitest";
import { groupsOf } from "../src/pages/timeline_groups";
import { columnsOf } from "../src/tasks/columns";
import { task } from "./rows";

const LEFT = task("Left behind", { projectId: "deleted", dueDate: 1 });
const ARCHIVED = task("Archived", { projectId: "p2", dueDate: 1 });
const PROJECTS: RowOf["projects"][] = [
  { id: "p1", clientId: null, name: "Garden", status: "active", aiSummary: null, createdAt: 0 },
  { id: "p2", clientId: null, name: "Old", status: "archived", aiSummary: null, createdAt: 0 },
];

test("a board of projects has the tasks of a deleted project, too", () => {
  const columns = columnsOf([LEFT], "project", PROJECTS);
  expect(columns.map(({ name, tasks }) => [name, tasks.map(({ id }) => id)])).toEqual([
    ["No project", ["Left behind"]],
    ["Garden", []],
  ]);
});

test("the timeline has the tasks and checkpoints of a deleted project, and none of an archived one", () => {
  const date = { id: "c1", projectId: "deleted", title: "Opening", date: 2, createdAt: 0 } as RowOf["checkpoints"];
  const groups = groupsOf(PROJECTS, [date], [LEFT, ARCHIVED]);
  expect(groups.map(({ name, lanes }) => [name, lanes.map(({ title }) => title)])).toEqual([
    ["Without a project", ["Opening", "Left behind"]],
  ]);
});
