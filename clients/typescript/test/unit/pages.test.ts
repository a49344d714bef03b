/** Details of pages that the shared cases do not cover. */
import BetterSqlite from "better-sqlite3";
import { expect, test } from "vitest";
import { betterSqlite3, DrizzleExecutor } from "../../src/database/index.js";
import type { Call } from "../../src/index.js";
import { openTables, SetClock } from "./bench.js";

test("a project's page has the comments of its twenty newest tasks", async () => {
  const clock = new SetClock();
  const tables = await openTables(betterSqlite3(new BetterSqlite(":memory:")), clock);
  const { id: projectId } = await tables.insert("projects", { name: "House" });
  const comments = [];
  for (let number = 0; number < 22; number += 1) {
    clock.time += 1;
    const task = await tables.insert("tasks", { title: `task ${number}`, projectId });
    comments.push(await tables.insert("taskComments", { taskId: task.id, author: "Anna", content: "Fine." }));
  }

  const data = { entityType: "project", entityId: projectId };
  const call: Call = { type: "tool_call", id: "c", request_id: "r", action: "page_details", data };
  const { row } = await new DrizzleExecutor(tables).execute(call);

  expect(row?.comments).toEqual(comments.slice(2).reverse());
  expect(row?.tasks).toHaveLength(22);
});
