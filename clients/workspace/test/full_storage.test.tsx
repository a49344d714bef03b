/** A browser whose storage for small things is full, as by one note of millions of letters: writing and asking go on. */
import { act, render, renderHook, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ReactNode } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { useChatStream } from "../src/chat/useChatStream";
import { KeyHelp } from "../src/keys/KeyHelp";
import { Appearance } from "../src/pages/settings/Appearance";
import { useKeptNote } from "../src/pages/useKeptNote";
import { useDraft, useFormDraft } from "../src/parts/draft";
import { FULL } from "../src/parts/kept";
import { RpcClient } from "../src/rpc/client";
import { RpcProvider } from "../src/rpc/RpcProvider";
import { SavedViews } from "../src/tasks/SavedViews";
import { channels, message, ONLINE, ScriptedStore } from "./rpc";

beforeEach(() => {
  vi.spyOn(Storage.prototype, "setItem").mockImplementation(() => {
    throw new DOMException("The quota has been exceeded.", "QuotaExceededError");
  });
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

test("a note is saved after a pause", async () => {
  vi.useFakeTimers();
  const save = vi.fn(async ({ text }: { text: string }) => ({ content: text, isConflict: false }));
  const { result } = renderHook(() => useKeptNote("a", "milk", save));

  act(() => result.current.write("milk, bread"));
  await act(() => vi.runOnlyPendingTimersAsync());

  expect(save).toHaveBeenCalledWith({ base: "milk", text: "milk, bread" });
});

test("drafts are written", () => {
  const { result: draft } = renderHook(() => useDraft("chat.a"));
  act(() => draft.current[1]("What is due?"));
  expect(draft.current[0]).toBe("What is due?");

  const { result: form } = renderHook(() => useFormDraft("task.a", { title: "" }));
  act(() => form.current.set({ title: "Milk" }));
  expect(form.current.values).toEqual({ title: "Milk" });
});

test("a question opens its new chat", async () => {
  const asked = message({ id: "m1", role: "user", content: "What is due?" });
  const store = new ScriptedStore({
    ask: () => "s",
    openChat: () => ({ messages: [asked], total: 1, live: [] }),
  });
  const wrapper = ({ children }: { children: ReactNode }) => <RpcProvider rpc={store.rpc}>{children}</RpcProvider>;
  const { result } = renderHook(() => useChatStream("home"), { wrapper });

  await act(() => result.current.send("What is due?"));

  await waitFor(() => expect(result.current.messages).toEqual([asked]));
  expect(result.current.problem).toBe("");
});

test("a choice that cannot be kept is said, and not shown as chosen", async () => {
  const user = userEvent.setup();
  const store = new ScriptedStore();
  render(
    <RpcProvider rpc={store.rpc}>
      <Appearance />
    </RpcProvider>,
  );

  await user.click(screen.getByRole("radio", { name: "Dark" }));
  await user.click(screen.getByRole("radio", { name: "Nothing moves" }));
  await user.selectOptions(screen.getByRole("combobox"), "it");

  await waitFor(() =>
    expect(screen.getAllByRole("alert").map(({ textContent }) => textContent)).toEqual(Array(3).fill(FULL)),
  );
  expect(screen.getAllByRole("radio", { name: "As the system", checked: true })).toHaveLength(2);
  expect(store.calls("speak")).toEqual([]);
});

test("nor is a view that cannot be saved, or the keys that cannot be switched off", async () => {
  const user = userEvent.setup();
  const { unmount } = render(
    <RpcProvider rpc={new RpcClient(channels(), ONLINE)}>
      <SavedViews query="?search=lawyer" />
    </RpcProvider>,
  );
  await user.click(screen.getByRole("button", { name: "Save this view" }));
  await user.type(screen.getByRole("textbox"), "Divorce{Enter}");
  expect(screen.getByRole("alert").textContent).toBe(FULL);
  expect(screen.queryByRole("link", { name: "Divorce" })).toBeNull();
  unmount();

  render(<KeyHelp onClose={() => undefined} />);
  await user.click(screen.getByRole("checkbox", { hidden: true }));
  expect(screen.getByRole("alert", { hidden: true }).textContent).toBe(FULL);
  expect(screen.getByRole("checkbox", { hidden: true, checked: true })).toBeDefined();
});
