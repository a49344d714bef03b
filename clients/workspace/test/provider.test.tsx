import type { Scope } from "@adiuva/client";
import { act, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { AdiuvaTriggerButton } from "../src/chat/AdiuvaTriggerButton";
import { ContextualChatProvider, useContextualChat, useContextualScope } from "../src/chat/ContextualChatProvider";
import { ContextualSidebar } from "../src/chat/ContextualSidebar";
import { begun } from "../src/chat/parts";
import { RpcProvider } from "../src/rpc/RpcProvider";
import { message, ONLINE, ScriptedStore } from "./rpc";

const TASKS: Scope = { page: "tasks", entityType: null };
const NOTES: Scope = { page: "notes-list", entityType: null };

function Page({ scope }: { scope: Scope }) {
  useContextualScope(scope);
  const { isStreaming, messages, size } = useContextualChat();
  return (
    <>
      <AdiuvaTriggerButton />
      <output>{`${messages.length} ${isStreaming ? "streaming" : "quiet"} ${size}`}</output>
    </>
  );
}

function page(scope: Scope | null) {
  return (
    <ContextualChatProvider>
      {scope === null ? <AdiuvaTriggerButton /> : <Page scope={scope} />}
      <ContextualSidebar />
    </ContextualChatProvider>
  );
}

function store() {
  const session = { id: "s1", channel: "contextual", title: "", createdAt: 0, updatedAt: 0, lastScope: null };
  const made = new ScriptedStore({
    ask: () => "s1",
    openChat: () => ({
      session,
      messages: [message({ id: "m1", role: "user", content: "Hello" })],
      total: 1,
      live: [],
    }),
  });
  made.tell({ type: "snapshot", snapshot: ONLINE });
  return made;
}

function shown(made: ScriptedStore, scope: Scope) {
  const shownPage = (next: Scope | null) => <RpcProvider rpc={made.rpc}>{page(next)}</RpcProvider>;
  const view = render(shownPage(scope));
  return { navigate: (next: Scope) => view.rerender(shownPage(next)), leave: () => view.rerender(shownPage(null)) };
}

async function settled(): Promise<void> {
  await act(async () => await new Promise((resume) => setTimeout(resume, 5)));
}

test("a question goes with what the page shows, and its conversation is remembered", async () => {
  const made = store();
  shown(made, NOTES);
  const user = userEvent.setup();

  await user.click(screen.getByRole("button", { name: "Ask Adiuva" }));
  await user.type(screen.getByLabelText("Message to Adiuva"), "Hello{Enter}");

  await waitFor(() => expect(localStorage.getItem("chat.contextual.lastSessionId")).toBe("s1"));
  expect(made.calls("ask")).toEqual([[{ channel: "contextual", sessionId: null, message: "Hello", scope: NOTES }]]);
});

test("on a page that shows nothing to ask about, a question is about everything, not about the page before", async () => {
  const made = store();
  const { leave } = shown(made, NOTES);
  leave();
  const user = userEvent.setup();

  await user.click(screen.getByRole("button", { name: "Ask Adiuva" }));
  await user.type(screen.getByLabelText("Message to Adiuva"), "Hello{Enter}");

  await waitFor(() => expect(made.calls("ask")).toMatchObject([[{ message: "Hello", scope: TASKS }]]));
});

test("only a real change of the page is sent", async () => {
  localStorage.setItem("chat.contextual.lastSessionId", "s1");
  const made = store();
  const { navigate } = shown(made, TASKS);
  await settled();

  navigate({ entityType: null, page: "tasks" });
  await settled();
  expect(made.calls("navigate")).toEqual([]);

  navigate(NOTES);
  await settled();
  expect(made.calls("navigate")).toEqual([["s1", NOTES]]);
});

test("while an answer streams a navigation waits, and intermediate pages are not sent", async () => {
  localStorage.setItem("chat.contextual.lastSessionId", "s1");
  const made = store();
  const { navigate } = shown(made, TASKS);
  await settled();
  made.tell({ type: "begun", live: begun("r1", "s1") });
  await settled();
  expect(screen.getByText(/streaming/)).toBeDefined();

  navigate(NOTES);
  await settled();
  navigate({ page: "timeline", entityType: null });
  await settled();
  expect(made.calls("navigate")).toEqual([]);

  made.tell({ type: "over", sessionId: "s1", requestId: "r1" });
  await settled();
  expect(made.calls("navigate")).toEqual([["s1", { page: "timeline", entityType: null }]]);
});

test("returning to the same page is no navigation", async () => {
  localStorage.setItem("chat.contextual.lastSessionId", "s1");
  const made = store();
  const { navigate } = shown(made, TASKS);
  await settled();
  made.tell({ type: "begun", live: begun("r1", "s1") });
  await settled();
  navigate(NOTES);
  navigate(TASKS);
  made.tell({ type: "over", sessionId: "s1", requestId: "r1" });
  await settled();

  expect(made.calls("navigate")).toEqual([]);
});

test("the conversation stays as it is over navigation, and so does what is being written", async () => {
  localStorage.setItem("chat.contextual.lastSessionId", "s1");
  const made = store();
  const { navigate } = shown(made, TASKS);
  await userEvent.setup().click(screen.getByRole("button", { name: "Ask Adiuva" }));
  await settled();
  const turn = { type: "turn", sessionId: "s1", requestId: "r1" } as const;
  made.tell(
    { type: "begun", live: begun("r1", "s1") },
    { ...turn, index: 0, event: { type: "text", text: "Half of " } },
  );
  await settled();
  navigate(NOTES);
  made.tell({ ...turn, index: 1, event: { type: "text", text: "an answer" } });
  // The same event twice, as when it was both loaded and received.
  made.tell({ ...turn, index: 1, event: { type: "text", text: "an answer" } });
  await settled();

  expect(screen.getByText("Half of an answer")).toBeDefined();
  expect(screen.getByText("Hello")).toBeDefined();
});

test("whether it is open is remembered for the session, how wide it is for good", async () => {
  const made = store();
  shown(made, TASKS);
  const user = userEvent.setup();

  await user.click(screen.getByRole("button", { name: "Ask Adiuva" }));
  expect(sessionStorage.getItem("chat.contextual.open")).toBe("true");
  screen.getByRole("separator").focus();
  await user.keyboard("{ArrowLeft}");
  expect(localStorage.getItem("chat.sidebar.size")).toBe("34");
  for (let press = 0; press < 30; press += 1) {
    await user.keyboard("{ArrowRight}");
  }
  expect(screen.getByRole("separator").getAttribute("aria-valuenow")).toBe("24");

  await user.click(screen.getByRole("button", { name: "Close" }));
  expect(sessionStorage.getItem("chat.contextual.open")).toBe("false");
  expect(screen.queryByRole("separator")).toBeNull();
});

test("a new chat is empty and keeps nothing of the last", async () => {
  localStorage.setItem("chat.contextual.lastSessionId", "s1");
  const made = store();
  shown(made, TASKS);
  const user = userEvent.setup();
  await user.click(screen.getByRole("button", { name: "Ask Adiuva" }));
  await settled();

  await user.click(screen.getByRole("button", { name: "New chat" }));

  expect(screen.queryByText("Hello")).toBeNull();
  expect(localStorage.getItem("chat.contextual.lastSessionId")).toBeNull();
});

test("a conversation is reloaded after a restore, and closed if it no longer exists", async () => {
  localStorage.setItem("chat.contextual.lastSessionId", "s1");
  const session = { id: "s1", channel: "contextual", title: "", createdAt: 0, updatedAt: 0, lastScope: null };
  let content: string | null = "Hello";
  const made = new ScriptedStore({
    openChat: () =>
      content && { session, messages: [message({ id: "m1", role: "user", content })], total: 1, live: [] },
  });
  made.tell({ type: "snapshot", snapshot: ONLINE });
  shown(made, TASKS);
  await userEvent.setup().click(screen.getByRole("button", { name: "Ask Adiuva" }));
  await screen.findByText("Hello");

  content = "Hello as it was";
  made.tell({ type: "renewed" });
  await screen.findByText("Hello as it was");
  content = null;
  made.tell({ type: "renewed" });

  await waitFor(() => expect(screen.queryByText("Hello as it was")).toBeNull());
  expect(localStorage.getItem("chat.contextual.lastSessionId")).toBeNull();
});
