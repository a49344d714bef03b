import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { Block } from "../src/blocks/Block";
import { type ChartData, readChart, ticksOf } from "../src/blocks/chart_data";

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

test("a colour is taken when it is one, and is the theme's otherwise", () => {
  expect(readChart(CHART).series.map(({ colour }) => colour)).toEqual([
    "light-dark(#3366cc, #3366cc)",
    "var(--series-2)",
  ]);
});

test.each([
  [
    [3, 4],
    [0, 1, 2, 3, 4],
  ],
  [
    [0, 0],
    [0, 1],
  ],
  [
    [-5, 20],
    [-10, 0, 10, 20],
  ],
  [[0.2], [0, 0.05, 0.1, 0.15, 0.2]],
])("an axis for %j has round steps that hold all of it", (values, ticks) => {
  expect(ticksOf([{ key: "n", label: "n", colour: "", values }])).toEqual(ticks);
});

test.each(["area", "bar", "line", "pie", "radar", "radial"] as const)(
  "a %s chart is drawn, with its numbers for who cannot see it",
  (chartType) => {
    const { container } = render(<Block blockType="chart" data={{ ...CHART, chartType }} />);

    expect(screen.getByRole("img", { name: `${chartType} chart: Tasks by project` })).toBeDefined();
    expect(screen.getByRole("table", { name: "Tasks by project" })).toBeDefined();
    expect(screen.getAllByRole("columnheader").map((cell) => cell.textContent)).toEqual(["Category", "Open", "Done"]);
    expect(screen.getAllByRole("rowheader").map((cell) => cell.textContent)).toEqual(["Garden", "Website"]);
    expect(container.querySelectorAll("figure svg[role=img] :is(path, rect, circle)").length).toBeGreaterThan(0);
    expect(container.innerHTML).not.toContain("NaN");
    expect([...container.querySelectorAll("td")].map((cell) => cell.textContent)).toEqual(["3", "1", "4", ""]);
  },
);

test.each(["area", "bar", "line", "pie", "radar", "radial"] as const)("an empty %s chart does no harm", (chartType) => {
  const { container } = render(<Block blockType="chart" data={{ ...CHART, chartType, data: [] }} />);

  expect(container.innerHTML).not.toContain("NaN");
});

test("a table has the headers and rows of its data", () => {
  render(
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
  render(<Block blockType="table" data={{ headers: ["Number"], rows }} />);
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
  render(<Block blockType="entity_ref" data={{ entity, items: [{ id: "a/b", title: "Water the roses" }] }} />);

  expect(screen.getByRole("link", { name: "Water the roses" }).getAttribute("href")).toBe(address);
});

test("a timeline's dates are in order", () => {
  const day = 24 * 60 * 60 * 1000;
  const checkpoints = [
    { id: "b", title: "Launch", date: Date.now() + 9 * day },
    { id: "a", title: "Draft", date: Date.now() + 2 * day },
  ];
  const { container } = render(<Block blockType="timeline" data={{ checkpoints }} />);

  expect([...container.querySelectorAll(".title")].map((title) => title.textContent)).toEqual(["Draft", "Launch"]);
});
