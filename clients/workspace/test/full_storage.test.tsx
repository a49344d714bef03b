/** A browser whose storage for small things is full, as by one note of millions of letters: writing and asking go on. */
import { act, renderHook, waitFor } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { useChatStream } from "../src/chat/useChatStream";
import { useKeptNote } from "../src/pages/useKeptNote";
import { useDraft, useFormDraft } from "../src/parts/draft";
import { RpcProvider } from "../src/rpc/RpcProvider";
import { message, ScriptedStore } from "./rpc";

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
