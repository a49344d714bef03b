import { act, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Announcement } from "../src/parts/Announcement";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

test("a new text is told once and then gone; the first one is not told", () => {
  const { rerender } = render(<Announcement text="Tasks" />);
  expect(screen.getByRole("status").textContent).toBe("");
  rerender(<Announcement text="Notes" />);
  expect(screen.getByRole("status").textContent).toBe("Notes");
  act(() => void vi.runAllTimers());
  expect(screen.getByRole("status").textContent).toBe("");
});
