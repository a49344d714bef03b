import type { TurnEvent } from "@adiuva/client";
import { expect, test } from "vitest";
import { begun, grown, textOf } from "../src/chat/parts";
import { isSameScope } from "../src/chat/scopes";
import { dayField, dayShown, daysFrom, dueShown, isPast, momentOf, timeField } from "../src/parts/dates";
import { excerptOf } from "../src/parts/excerpt";

const BLOCK: TurnEvent = { type: "block", blockType: "table", data: { headers: [], rows: [] } };

test("pieces of text are joined, and a block stays where it arrived", () => {
  const events: TurnEvent[] = [
    { type: "start", kind: "home" },
    { type: "text", text: "One " },
    { type: "text", text: "two." },
    BLOCK,
    { type: "text", text: "Three." },
  ];

  const live = events.reduce(grown, begun("r1", "s1"));

  expect(live.parts.map((part) => part.type)).toEqual(["text", "block", "text"]);
  expect(textOf(live.parts)).toBe("One two.Three.");
  expect(live.count).toBe(5);
});

test("the assistant's activity is shown until it writes", () => {
  const looking = grown(begun("r1", "s1"), { type: "status", state: "calling_tool", label: "Looking at your tasks" });

  expect(looking.status).toEqual({ state: "calling_tool", label: "Looking at your tasks" });
  expect(grown(looking, { type: "text", text: "A" }).status).toBeNull();
});

test("a scope is the same in any order of its fields", () => {
  const one = { page: "tasks", entityType: null, filters: { status: "todo", projectId: "p" } } as const;
  const other = { filters: { projectId: "p", status: "todo" }, entityType: null, page: "tasks" } as const;

  expect(isSameScope(one, other)).toBe(true);
  expect(isSameScope(one, { ...one, filters: { status: "done", projectId: "p" } })).toBe(false);
  expect(isSameScope(one, null)).toBe(false);
});

test("a day is its midnight, and keeps its day and its time", () => {
  const midnight = new Date(2026, 2, 29).getTime();
  const evening = new Date(2026, 2, 29, 18, 5).getTime();

  expect(momentOf("2026-03-29")).toBe(midnight);
  expect([dayField(midnight), timeField(midnight)]).toEqual(["2026-03-29", ""]);
  expect(momentOf("2026-03-29", "18:05")).toBe(evening);
  expect([dayField(evening), timeField(evening)]).toEqual(["2026-03-29", "18:05"]);
  expect(momentOf("", "18:05")).toBeNull();
  expect(timeField(null)).toBe("");
});

test("days are counted by the calendar", () => {
  // In this zone the clocks change on 29 March and 25 October.
  for (const [now, later] of [
    ["2026-03-28T23:30+01:00", "2026-03-30T00:00+02:00"],
    ["2026-10-24T23:30+02:00", "2026-10-26T00:00+01:00"],
  ] as const) {
    expect(daysFrom(Date.parse(now), 2)).toBe(Date.parse(later));
  }
});

test("a time is shown where there is one", () => {
  const now = new Date(2026, 2, 28, 9).getTime();

  expect(dueShown(new Date(2026, 2, 29).getTime(), now)).toBe("Tomorrow");
  expect(dueShown(new Date(2026, 2, 29, 18).getTime(), now)).toBe("Tomorrow, 18:00");
});

test("days near today have names", () => {
  const now = new Date(2026, 2, 28, 23, 30).getTime();

  expect(dayShown(new Date(2026, 2, 29, 0, 10).getTime(), now)).toBe("Tomorrow");
  expect(dayShown(new Date(2026, 2, 28, 0, 10).getTime(), now)).toBe("Today");
  expect(dayShown(new Date(2026, 3, 2).getTime(), now)).toBe("2 Apr");
  expect(dayShown(new Date(2027, 0, 2).getTime(), now)).toBe("2 Jan 2027");
  expect(isPast(new Date(2026, 2, 28, 1).getTime(), now)).toBe(false);
});

test.each([
  ["# Pond\n\n- **deep** at _one_ end\n1. see [here](https://x.example)", "Pond · deep at one end · see here"],
  ["Two lines\nof one paragraph.\n \n> quoted\n> on", "Two lines of one paragraph. · quoted on"],
  ["To buy:\n- [ ] liner\n  - [x] string", "To buy: · liner · string"],
  ["\n\n", ""],
])("the excerpt of %j has no marks", (markdown, excerpt) => {
  expect(excerptOf(markdown)).toBe(excerpt);
});
