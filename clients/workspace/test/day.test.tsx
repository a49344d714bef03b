import { render, screen, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { Day, DayLine } from "../src/chat/Day";
import { daysFrom } from "../src/parts/dates";
import { RpcProvider } from "../src/rpc/RpcProvider";
import { task } from "./rows";
import { ScriptedStore } from "./rpc";

const due = (days: number) => daysFrom(Date.now(), days);
const TASKS = [
  task("tomorrow", { dueDate: due(1) }),
  task("late", { dueDate: due(-1) }),
  task("later still", { dueDate: due(-9), status: "in_progress" }),
  task("done", { dueDate: due(-2), status: "done" }),
  task("now", { dueDate: due(0) }),
  task("some day"),
];
const CHECKPOINTS = [5, 3, -1, 0, 4].map((days) => ({ id: `c${days}`, title: `in ${days}`, date: due(days) }));

test("the day has what is overdue and due, the oldest first, and the next checkpoints", async () => {
  const store = new ScriptedStore({ select: (table: string) => (table === "tasks" ? TASKS : CHECKPOINTS) } as never);
  render(
    <RpcProvider rpc={store.rpc}>
      <DayLine onShow={() => undefined} />
      <Day />
    </RpcProvider>,
  );
  expect(await screen.findByRole("button", { name: "2 overdue · 1 due today" })).toBeDefined();
  const titles = (name: string) =>
    within(screen.getByRole("region", { name }))
      .getAllByRole("link")
      .map(({ textContent }) => textContent);
  expect(titles("Overdue")).toEqual(["later still", "late"]);
  expect(titles("Due today")).toEqual(["now"]);
  expect(titles("Next checkpoints")).toEqual(["in 0", "in 3", "in 4"]);
  // Read once, for the line and for the list.
  expect(store.calls("select").map(([table]) => table)).toEqual(["tasks", "checkpoints"]);
});
