import { fireEvent, render, screen } from "@testing-library/react";
import { useState } from "react";
import { expect, test, vi } from "vitest";
import { dayField, timeField } from "../src/parts/dates";
import { editedMoment, MomentFields } from "../src/parts/MomentFields";
import { DatePicker } from "../src/tasks/DatePicker";

let chosen: number | null;

function Form({ moment }: { moment: number | null }) {
  const [values, set] = useState({ day: dayField(moment), time: timeField(moment) });
  const edited = editedMoment(moment, values, (part) => set((before) => ({ ...before, ...part })));
  chosen = edited.moment;
  return <MomentFields name="Due" edited={edited} />;
}

function type(label: string, value: string): void {
  fireEvent.change(screen.getByLabelText(label), { target: { value } });
}

const TIME = "Time (optional)";

test("a day alone is its midnight, and a time is added to it", () => {
  render(<Form moment={null} />);
  expect(screen.getByLabelText<HTMLInputElement>(TIME).disabled).toBe(true);

  type("Due", "2026-11-24");
  expect(chosen).toBe(new Date(2026, 10, 24).getTime());
  type(TIME, "18:30");
  expect(chosen).toBe(new Date(2026, 10, 24, 18, 30).getTime());
  type("Due", "");
  expect(chosen).toBeNull();
});

test("an unchanged time keeps its seconds", () => {
  const moment = new Date(2026, 10, 24, 18, 30, 12).getTime();
  render(<Form moment={moment} />);

  expect(screen.getByLabelText<HTMLInputElement>(TIME).value).toBe("18:30");
  expect(chosen).toBe(moment);
  type("Due", "2026-11-25");
  expect(chosen).toBe(new Date(2026, 10, 25, 18, 30).getTime());
});

test.each([
  ["the day after the clocks are put forward", new Date(2027, 2, 28, 10), "29 March 2027", 29],
  ["the day when they are", new Date(2027, 2, 25, 10), "28 March 2027", 28],
  ["another day than the one when they are put back", new Date(2027, 9, 31, 23, 30), "29 October 2027", 29],
])("a task is moved to %s at the same time", async (_what, before, name, day) => {
  const onChoose = vi.fn();
  render(<DatePicker value={before.getTime()} onChoose={onChoose} />);

  fireEvent.click(screen.getByRole("button", { name: new RegExp(name) }));

  const moved = new Date(before);
  moved.setDate(day);
  expect(onChoose).toHaveBeenCalledExactlyOnceWith(moved.getTime());
});
