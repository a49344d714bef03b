import { act, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { ContextualChatProvider } from "../src/chat/ContextualChatProvider";
import { Shortcuts } from "../src/keys/Shortcuts";
import { TaskList } from "../src/pages/TaskList";
import { RpcProvider } from "../src/rpc/RpcProvider";
import { task } from "./rows";
import { ScriptedStore } from "./rpc";

test("while a selection is being deleted, nothing else is done to it, and after an error it can be tried again", async () => {
  let fail: (error: Error) => void = () => undefined;
  const working = new Promise((_resolve, reject) => {
    fail = reject;
  });
  const store = new ScriptedStore({ select: () => [], openChat: () => null, changeMany: () => working });
  render(
    <RpcProvider rpc={store.rpc}>
      <ContextualChatProvider>
        <Shortcuts>
          <TaskList tasks={[task("Roof"), task("Wall")]} />
        </Shortcuts>
      </ContextualChatProvider>
    </RpcProvider>,
  );
  screen.getByRole("link", { name: "Roof" }).focus();
  await userEvent.keyboard("x");
  const button = screen.getByRole("button", { name: "Delete" });
  await userEvent.dblClick(button);

  expect(store.calls("changeMany")).toEqual([["tasks", ["Roof"], null]]);
  const buttons = () => [...screen.getByRole("toolbar").querySelectorAll("button")];
  expect(buttons().every(({ disabled }) => disabled)).toBe(true);

  await act(async () => fail(new Error("The disk is full.")));
  expect(await screen.findByText("The disk is full.")).toBeDefined();
  expect(buttons().some(({ disabled }) => disabled)).toBe(false);
  expect(document.activeElement).toBe(button);
});
