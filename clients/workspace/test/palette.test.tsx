import { act, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { ContextualChatProvider } from "../src/chat/ContextualChatProvider";
import { begun } from "../src/chat/parts";
import { CommandPalette } from "../src/palette/CommandPalette";
import { Dialog } from "../src/parts/Dialog";
import type { Hit } from "../src/rpc/messages";
import { RpcProvider } from "../src/rpc/RpcProvider";
import { onAnnounced } from "../src/undo/announced";
import { ScriptedStore } from "./rpc";

const ROOF: Hit = {
  table: "tasks",
  id: "t1",
  title: "Note of the roof",
  place: "/tasks/t1",
  isDone: false,
  excerpt: "",
};

function opened(store: ScriptedStore, { isQuickAdd = false, before = { text: "", isEntered: false } } = {}) {
  const onClose = vi.fn();
  render(
    <RpcProvider rpc={store.rpc}>
      <ContextualChatProvider>
        <CommandPalette isQuickAdd={isQuickAdd} typed={() => before} onClose={onClose} onHelp={() => undefined} />
      </ContextualChatProvider>
    </RpcProvider>,
  );
  return { onClose, user: userEvent.setup() };
}

/** The line with “note” in it, and what lets the search answer. */
async function searching() {
  let resolve: (hits: Hit[]) => void = () => undefined;
  const late = new Promise<Hit[]>((resolved) => {
    resolve = resolved;
  });
  const store = new ScriptedStore({
    search: (text: string) => (text === "note" ? late : []),
    select: () => [],
    listChats: () => [],
  });
  opened(store);
  const user = userEvent.setup();
  await user.type(screen.getByRole("combobox"), "note");
  await waitFor(() => expect(store.calls("search").at(-1)).toEqual(["note", 12]));
  const answer = async () => {
    await act(async () => {
      resolve([ROOF]);
      await late;
      await new Promise((resume) => setTimeout(resume));
    });
  };
  return { user, answer };
}

function options(): (string | null)[] {
  return screen.getAllByRole("option").map(({ textContent }) => textContent);
}

function selected(): string | null {
  return screen.getByRole("option", { selected: true }).textContent;
}

test("the first of what a search finds is selected, until the user chooses", async () => {
  const { answer } = await searching();
  expect(selected()).toContain("New note");

  await answer();

  await waitFor(() => expect(selected()).toContain("Note of the roof"));
});

test.each([
  ["the arrow", async ({ user }: { user: ReturnType<typeof userEvent.setup> }) => user.keyboard("{ArrowDown}")],
  [
    "the pointer",
    async ({ user }: { user: ReturnType<typeof userEvent.setup> }) =>
      user.pointer({ target: screen.getAllByRole("option")[1] as HTMLElement }),
  ],
])("what is found late moves nothing once the user chooses by %s", async (_how, choose) => {
  const { user, answer } = await searching();
  await choose({ user });
  const before = [options(), selected()];
  expect(selected()).toBe(options()[1]);

  await answer();

  expect([options(), selected()]).toEqual(before);
  await user.type(screen.getByRole("combobox"), "{Backspace}");
  await waitFor(() => expect(options().length).toBeGreaterThan(0));
  expect(selected()).toBe(options()[0]);
});

const QUESTION = "What is overdue?";

test("a question that is refused stays in the line, with the reason", async () => {
  const store = new ScriptedStore({
    search: () => [],
    select: () => [],
    ask: () => {
      throw new Error("The disk is full.");
    },
  });
  const { user, onClose } = opened(store);
  await user.type(screen.getByRole("combobox"), QUESTION);
  await user.click(screen.getByRole("option", { name: `Ask: ${QUESTION}` }));

  expect((await screen.findByRole("alert")).textContent).toBe("The disk is full.");
  expect((screen.getByRole("combobox") as HTMLInputElement).value).toBe(QUESTION);
  expect(onClose).not.toHaveBeenCalled();
});

test("a task that is entered before the projects are read gets the project of that name", async () => {
  let resolve: (rows: unknown[]) => void = () => undefined;
  const late = new Promise<unknown[]>((resolved) => {
    resolve = resolved;
  });
  const store = new ScriptedStore({
    select: () => late,
    addTask: () => ({ id: "t1", entry: "e1" }),
  });
  const { onClose } = opened(store, { isQuickAdd: true, before: { text: "Milk #Website", isEntered: true } });
  await screen.findByRole("combobox");
  expect(store.calls("addTask")).toEqual([]);

  resolve([{ id: "p1", name: "Website", status: "active" }]);

  await waitFor(() => expect(onClose).toHaveBeenCalledOnce());
  expect(store.calls("addTask")).toMatchObject([[{ title: "Milk", projectId: "p1" }, null]]);
});

test("the notice of a task with a long title names its beginning, by whole letters", async () => {
  const store = new ScriptedStore({ select: () => [], addTask: () => ({ id: "t1", entry: "e1" }) });
  const said: string[] = [];
  const stop = onAnnounced(({ text }) => said.push(text));
  const { onClose } = opened(store, { isQuickAdd: true, before: { text: "😀".repeat(61), isEntered: true } });
  await waitFor(() => expect(onClose).toHaveBeenCalledOnce());
  stop();
  expect(said).toEqual([`Added: ${"😀".repeat(60)}…`]);
});

test("Enter before the line is there adds nothing to a search", async () => {
  const store = new ScriptedStore({ search: () => [], select: () => [], addTask: () => ({ id: "t1", entry: "e1" }) });
  const { onClose } = opened(store, { before: { text: "Milk", isEntered: true } });
  await screen.findByRole("option", { name: "Ask: Milk" });
  expect([onClose.mock.calls, store.calls("addTask")]).toEqual([[], []]);
});

test("while an answer is written no other question is asked in its conversation", async () => {
  localStorage.setItem("chat.contextual.lastSessionId", "s1");
  const session = { id: "s1", channel: "contextual", title: "", createdAt: 0, updatedAt: 0, lastScope: null };
  const live = [begun("r1", "s1")];
  const store = new ScriptedStore({
    search: () => [],
    select: () => [],
    openChat: () => ({ session, messages: [], total: 0, live }),
    ask: () => "s1",
  });
  const { user, onClose } = opened(store);
  await user.type(screen.getByRole("combobox"), QUESTION);
  const ask = await screen.findByRole("option", { name: `Ask: ${QUESTION} When the answer is complete` });
  await user.click(ask);
  expect([ask.getAttribute("aria-disabled"), store.calls("ask")]).toEqual(["true", []]);

  act(() => store.tell({ type: "over", sessionId: "s1", requestId: "r1" }));
  await user.click(await screen.findByRole("option", { name: `Ask: ${QUESTION}` }));

  await waitFor(() => expect(onClose).toHaveBeenCalled());
  expect(store.calls("ask")).toMatchObject([[{ sessionId: "s1", message: QUESTION }]]);
});

test("a dialog that closes gives the focus back into the editor of notes, which is in a shadow root", () => {
  const host = document.body.appendChild(document.createElement("div"));
  const root = host.attachShadow({ mode: "open" });
  const written = root.appendChild(document.createElement("textarea"));
  written.focus();
  const { unmount } = render(
    <Dialog title="Search" onClose={() => undefined}>
      <input data-focus />
    </Dialog>,
  );
  expect(root.activeElement).toBeNull();

  unmount();

  expect(root.activeElement).toBe(written);
  host.remove();
});
