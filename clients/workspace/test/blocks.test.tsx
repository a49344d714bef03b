import { render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ReactElement } from "react";
import { expect, test } from "vitest";
import { Block } from "../src/blocks/Block";
import { briefAmount, type ChartData, readChart, shortened } from "../src/blocks/chart_data";
import { fitting, placeOf, rangeOf, ticksOf } from "../src/blocks/time_scale";
import { Parts } from "../src/chat/Message";
import { RpcProvider } from "../src/rpc/RpcProvider";
import { ScriptedStore } from "./rpc";

const CHART: ChartData = {
  chartType: "bar",
  title: "Tasks by project",
  data: [
    { project: "Garden", open: 3, done: 1 },
    { project: "Website", open: 4, done: null },
  ],
  config: { open: { label: "Open", color: "#3366cc" }, done: { label: "Done", color: "red;background:url(x)" } },
};

test("a chart's words are its categories and its configured numbers its series", () => {
  const { categories, series } = readChart(CHART);

  expect(categories).toEqual(["Garden", "Website"]);
  expect(series.map(({ label, values }) => [label, values])).toEqual([
    ["Open", [3, 4]],
    ["Done", [1, null]],
  ]);
});

function shown(element: ReactElement, store = new ScriptedStore()) {
  return render(<RpcProvider rpc={store.rpc}>{element}</RpcProvider>);
}

test("a colour is taken when it is one, and is the theme's otherwise", () => {
  expect(readChart(CHART).series.map(({ colour }) => colour)).toEqual([
    "light-dark(#3366cc, #3366cc)",
    "var(--series-2)",
  ]);
});

test("an axis shows large amounts briefly", () => {
  expect([0, 950, 12_500, 3_000_000].map(briefAmount)).toEqual(["0", "950", "12.5k", "3m"]);
});

test("labels that begin alike stay different when they are cut", () => {
  const labels = ["A very long name of the garden", "A very long name of the house"].map(shortened);

  expect(labels).toEqual(["A very…garden", "A very…house"]);
});

test.each(["area", "bar", "line", "pie", "radar", "radial"] as const)(
  "a %s chart is drawn, with its numbers for who cannot see it",
  async (chartType) => {
    const { container } = shown(<Block blockType="chart" data={{ ...CHART, chartType }} />);

    await screen.findByRole("img", { name: `${chartType} chart: Tasks by project` });
    expect(screen.getByRole("table", { name: "Tasks by project", hidden: true })).toBeDefined();
    expect([...container.querySelectorAll("thead th")].map((cell) => cell.textContent)).toEqual([
      "Category",
      "Open",
      "Done",
    ]);
    expect(container.querySelectorAll("figure svg[role=img] :is(path, rect, circle)").length).toBeGreaterThan(0);
    expect(container.innerHTML).not.toContain("NaN");
    expect([...container.querySelectorAll("td")].map((cell) => cell.textContent)).toEqual(["3", "1", "4", ""]);
  },
);

test("a chart without numbers says so, and draws nothing", () => {
  const { container } = shown(<Block blockType="chart" data={{ ...CHART, data: [] }} />);

  expect(container.textContent).toContain("There are no numbers to draw yet.");
  expect(container.querySelector("svg")).toBeNull();
});

test("a table has the headers and rows of its data", () => {
  shown(
    <Block
      blockType="table"
      data={{
        headers: ["Task", "Hours"],
        rows: [
          ["Buy milk", 1],
          ["Call Anna", null],
        ],
      }}
    />,
  );

  expect(screen.getAllByRole("columnheader").map((cell) => cell.textContent)).toEqual(["Task", "Hours"]);
  expect(screen.getAllByRole("cell").map((cell) => cell.textContent)).toEqual(["Buy milk", "1", "Call Anna", ""]);
});

test("a long table shows its beginning until the user asks for all of it", async () => {
  const rows = Array.from({ length: 400 }, (_none, index) => [index]);
  shown(<Block blockType="table" data={{ headers: ["Number"], rows }} />);
  expect(screen.getAllByRole("cell").length).toBeLessThan(100);

  await userEvent.setup().click(screen.getByRole("button", { name: "Show all 400 rows" }));
  expect(screen.getAllByRole("cell")).toHaveLength(400);
});

test.each([
  ["task", "/tasks/a%2Fb"],
  ["project", "/projects/a%2Fb"],
  ["note", "/notes/a%2Fb"],
  ["checkpoint", "/timeline/a%2Fb"],
])("a %s opens its page", (entity, address) => {
  shown(<Block blockType="entity_ref" data={{ entity, items: [{ id: "a/b", title: "Water the roses" }] }} />);

  expect(screen.getByRole("link", { name: "Water the roses" }).getAttribute("href")).toBe(address);
});

test("a timeline's dates are in order", async () => {
  const day = 24 * 60 * 60 * 1000;
  const checkpoints = [
    { id: "b", title: "Launch", date: Date.now() + 9 * day },
    { id: "a", title: "Draft", date: Date.now() + 2 * day },
  ];
  const { container } = shown(<Block blockType="timeline" data={{ checkpoints }} />);

  await screen.findByText("Draft");
  expect([...container.querySelectorAll(".title")].map((title) => title.textContent)).toEqual(["Draft", "Launch"]);
});

test("the series of a chart are named in the order in which they are drawn", async () => {
  const config = { revenue: { label: "Revenue" }, plan: { label: "Planned" } };
  const data = { chartType: "bar", title: "Money", data: [{ year: "2026", revenue: 3, plan: 2 }], config };
  const { container } = shown(<Block blockType="chart" data={data} />);

  await waitFor(() =>
    expect([...container.querySelectorAll(".chart-key li")].map((each) => each.textContent)).toEqual([
      "Revenue",
      "Planned",
    ]),
  );
});

test("labels of an axis do not touch: those that come first stay", () => {
  const labels = [
    { place: 3, text: "Today" },
    { place: 15, text: "30 Nov" },
    { place: 38, text: "7 Dec" },
    { place: 97, text: "26 Dec" },
  ];
  const shown = (width: number) => fitting(labels, width).map(({ text }) => text);

  expect(shown(800)).toEqual(["Today", "30 Nov", "7 Dec", "26 Dec"]);
  expect(shown(250)).toEqual(["Today", "7 Dec", "26 Dec"]);
  expect(shown(100)).toEqual(["Today", "26 Dec"]);
  expect(shown(0)).toEqual(["Today"]);
});

test("timelines that are compared have one scale, with round dates on it", () => {
  const at = (month: number, day: number) => new Date(2026, month, day).getTime();
  const range = rangeOf([at(0, 20), at(11, 10)], at(5, 15));

  expect(ticksOf(range).map((tick) => [new Date(tick.at).getMonth(), tick.unit])).toEqual([
    [2, "month"],
    [4, "month"],
    [6, "month"],
    [8, "month"],
    [10, "month"],
  ]);
  expect([placeOf(range, range.first), placeOf(range, range.last)]).toEqual([3, 97]);
  expect(ticksOf({ first: at(5, 1), last: at(5, 4) }).map((tick) => new Date(tick.at).getDate())).toEqual([1, 2, 3, 4]);
});

test("cards follow their rows, and a task is ticked in place", async () => {
  const rows: Record<string, Record<string, unknown> | null> = {
    a: { id: "a", title: "Water the roses", status: "in_progress", dueDate: null },
    b: null,
  };
  const store = new ScriptedStore({
    get: (_table: string, id: string) => rows[id] ?? null,
    tick: (id: string, isDone: boolean) => {
      rows[id] = { ...rows[id], status: isDone ? "done" : "in_progress" };
      store.tell({ type: "change", changes: [{ table: "tasks", id, action: "update" }] });
    },
  });
  const items = [
    { id: "a", title: "Water roses", status: "todo" },
    { id: "b", title: "Buy milk", status: "todo" },
  ];
  shown(<Block blockType="entity_ref" data={{ entity: "task", items }} />, store);

  await screen.findByText("It is not there any more.");
  const user = userEvent.setup();
  await user.click(await screen.findByRole("checkbox", { name: "Done: Water the roses" }));
  await screen.findByText("done");
  await user.click(screen.getByRole("checkbox", { name: "Done: Water the roses" }));
  await screen.findByText("in progress");
});

test("a table that names tasks of its answer follows them", async () => {
  const store = new ScriptedStore({
    get: (_table: string, id: string) => ({ id, title: "Buy milk", status: "done", priority: "low", dueDate: null }),
  });
  const parts = [
    { type: "block", blockType: "table", data: { headers: ["Task", "Status"], rows: [["Buy milk", "to do"]] } },
    { type: "block", blockType: "entity_ref", data: { entity: "task", items: [{ id: "m", title: "Buy milk" }] } },
  ] as const;
  shown(<Parts parts={parts} />, store);

  const cells = await waitFor(() => {
    const found = screen.getAllByRole("cell");
    expect(found.map((cell) => cell.textContent)).toEqual(["Buy milk", "done"]);
    return found;
  });
  expect(within(cells[0] as HTMLElement).getByRole("checkbox")).toHaveProperty("checked", true);
});
