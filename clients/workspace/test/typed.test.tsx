import { render, renderHook, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { useTyped } from "../src/keys/useTyped";

/** A page with a field and a button, over which the line is opened. */
function opening() {
  const [close, press] = [vi.fn(), vi.fn()];
  render(
    <>
      <input aria-label="Words" />
      <button type="button" onClick={press}>
        Delete
      </button>
    </>,
  );
  const { result } = renderHook(() => useTyped(true, close));
  return { typed: result.current, close, press };
}

test("what is typed is the line’s, and not that of the field with the focus", async () => {
  const { typed } = opening();
  const field = screen.getByLabelText("Words") as HTMLInputElement;
  field.focus();
  await userEvent.keyboard("Milc{Backspace}k 😀😀{Backspace}");
  expect([typed(), field.value]).toEqual([{ text: "Milk 😀", isEntered: false }, ""]);
  expect(typed()).toEqual({ text: "", isEntered: false });
});

test("Enter is the line’s, and not that of the button with the focus", async () => {
  const { typed, press } = opening();
  screen.getByRole("button").focus();
  await userEvent.keyboard("Milk{Enter}");
  expect(typed()).toEqual({ text: "Milk", isEntered: true });
  expect(press).not.toHaveBeenCalled();
});

test("Escape closes, and is not the page’s", async () => {
  const { typed, close } = opening();
  const escaped = vi.fn();
  document.body.addEventListener("keydown", escaped, { once: true });
  await userEvent.keyboard("{Escape}");
  expect([close.mock.calls.length, escaped.mock.calls.length]).toEqual([1, 0]);
  document.body.removeEventListener("keydown", escaped);
  expect(typed().text).toBe("");
});

test("keys with Ctrl, and those of an open dialog, are left alone", async () => {
  const { typed, close } = opening();
  await userEvent.keyboard("{Control>}c{/Control}");
  const dialog = document.body.appendChild(document.createElement("dialog"));
  dialog.open = true;
  await userEvent.keyboard("Milk{Escape}");
  dialog.remove();
  expect(typed().text).toBe("");
  expect(close).not.toHaveBeenCalled();
});
