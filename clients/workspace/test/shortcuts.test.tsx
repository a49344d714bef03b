import type { RowOf } from "@adiuva/client/database";
import { fireEvent, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ReactNode } from "react";
import { beforeEach, expect, test } from "vitest";
import { ContextualChatProvider } from "../src/chat/ContextualChatProvider";
import { setSingleKeys } from "../src/keys/keys";
import { KEYS } from "../src/keys/listed_keys";
import { Shortcuts } from "../src/keys/Shortcuts";
import { TaskList } from "../src/pages/TaskList";
import { RpcProvider } from "../src/rpc/RpcProvider";
import { task } from "./rows";
import { ScriptedStore } from "./rpc";

const TASKS = ["Buy milk", "Call Anna"].map((title, order) => task(`t${order}`, { title, priority: "low" }));

let rerender: (list: ReactNode) => void;

function listOf(store: ScriptedStore, tasks: readonly RowOf["tasks"][]) {
  return (
    <RpcProvider rpc={store.rpc}>
      <ContextualChatProvider>
        <Shortcuts>
          <TaskList tasks={tasks} />
        </Shortcuts>
      </ContextualChatProvider>
    </RpcProvider>
  );
}

const store = new ScriptedStore({ select: () => [], openChat: () => null });

beforeEach(() => {
  setSingleKeys(true);
  history.replaceState(null, "", "/tasks");
  ({ rerender } = render(listOf(store, TASKS)));
});

const link = (name: string) => screen.getByRole("link", { name });

test("j gives the focus to the first task, and then to the next", async () => {
  await userEvent.keyboard("j");
  expect(document.activeElement).toBe(link("Buy milk"));
  await userEvent.keyboard("j");
  expect(document.activeElement).toBe(link("Call Anna"));
});

test("what is typed while the line is fetched is in it", async () => {
  await userEvent.keyboard("qMilk");
  const line = await screen.findByRole("combobox");
  expect((line as HTMLInputElement).value).toBe("Milk");
});

test("after g a key goes to a page, also where it means something else in a list", async () => {
  link("Buy milk").focus();
  await userEvent.keyboard("gp");
  expect(location.pathname).toBe("/projects");
});

test("keys without Ctrl that are switched off do nothing in a list, but the arrows work", async () => {
  setSingleKeys(false);
  link("Buy milk").focus();
  await userEvent.keyboard("xe");
  expect(screen.queryByRole("toolbar", { name: "Selected tasks" })).toBeNull();
  expect(screen.queryByRole("textbox", { name: "Title" })).toBeNull();
  await userEvent.keyboard("{ArrowDown}");
  expect(document.activeElement).toBe(link("Call Anna"));
});

test("when the task with the focus is gone, the next one gets it, on the same part", () => {
  screen.getByRole("checkbox", { name: "Done: Buy milk" }).focus();
  rerender(listOf(store, TASKS.slice(1)));
  expect(document.activeElement).toBe(screen.getByRole("checkbox", { name: "Done: Call Anna" }));
});

test("after a title is written, or left as it was, the task has the focus again", async () => {
  for (const end of ["{Enter}", "{Escape}"]) {
    link("Buy milk").focus();
    await userEvent.keyboard("e");
    expect(document.activeElement).toBe(screen.getByRole("textbox", { name: "Title" }));
    await userEvent.keyboard(end);
    expect(document.activeElement).toBe(link("Buy milk"));
  }
});

test("how many are selected is said by an element that was there before", async () => {
  const before = screen.getAllByRole("status");
  link("Buy milk").focus();
  await userEvent.keyboard("x");
  expect(before.map((each) => each.textContent)).toContain("1 selected");
});

test("once a selection is over, the page has the focus", async () => {
  rerender(<main id="main">{listOf(store, TASKS)}</main>);
  link("Buy milk").focus();
  await userEvent.keyboard("x");
  await userEvent.click(screen.getByRole("button", { name: "Select none" }));
  expect(document.activeElement).toBe(screen.getByRole("main"));
});

test("the keys of the editor are listed as its buttons are called", () => {
  const [, keys] = KEYS.find(([where]) => where === "In a note") ?? [];
  expect(keys?.slice(0, 2)).toEqual([
    { keys: ["Ctrl+B"], does: "Bold" },
    { keys: ["Ctrl+I"], does: "Italic" },
  ]);
  expect(keys).toContainEqual({ keys: ["Ctrl+Shift+9"], does: "Box to tick" });
});

test("while tasks are selected, Ctrl-A selects all of them, wherever the page has the focus", async () => {
  const pressedOnPage = () => fireEvent.keyDown(document.body, { key: "a", ctrlKey: true });
  expect(pressedOnPage()).toBe(true);
  expect(screen.queryAllByRole("checkbox", { checked: true })).toEqual([]);

  link("Call Anna").focus();
  await userEvent.keyboard("x");
  expect(pressedOnPage()).toBe(false);
  const marked = await screen.findAllByRole("checkbox", { name: /^Select: /, checked: true });
  expect(marked).toHaveLength(TASKS.length);
});

test("while tasks are selected, Ctrl-A in a text field is the field's", async () => {
  rerender(
    <>
      <input aria-label="Words" />
      {listOf(store, TASKS)}
    </>,
  );
  link("Call Anna").focus();
  await userEvent.keyboard("x");
  expect(fireEvent.keyDown(screen.getByLabelText("Words"), { key: "a", ctrlKey: true })).toBe(true);
  expect(screen.getAllByRole("checkbox", { checked: true })).toHaveLength(1);
});
