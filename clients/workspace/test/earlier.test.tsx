import type { ChatChannel } from "@adiuva/client/database";
import { act, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { Router } from "wouter";
import { memoryLocation } from "wouter/memory-location";
import { AIChatPanel } from "../src/chat/AIChatPanel";
import { ContextualChatProvider } from "../src/chat/ContextualChatProvider";
import type { ListedChat } from "../src/rpc/messages";
import { RpcProvider } from "../src/rpc/RpcProvider";
import { message, ONLINE, ScriptedStore } from "./rpc";

function chat(id: string, channel: ChatChannel, lastScope: Record<string, unknown> | null = null): ListedChat {
  const listed = { isPinned: false, isAsking: id === "milk", excerpt: "" };
  return { id, channel, title: `About ${id}`, createdAt: 0, updatedAt: 0, lastScope, ...listed };
}

function shown() {
  const chats = [
    chat("roses", "home"),
    chat("milk", "home"),
    chat("pond", "contextual", { page: "project", entityType: "project", entityId: "p1" }),
  ];
  const store = new ScriptedStore({
    snapshot: () => ONLINE,
    select: () => [],
    listChats: (words: string) => chats.filter(({ title }) => title.includes(words)),
    openChat: (id: string) => {
      const session = chats.find((each) => each.id === id);
      const said = message({ id: `said-${id}`, sessionId: id, role: "user", content: `What about ${id}?` });
      return session === undefined ? null : { session, messages: [said], total: 1, live: [] };
    },
    deleteChat: (id: string) => {
      chats.splice(
        chats.findIndex((each) => each.id === id),
        1,
      );
    },
  });
  const { hook, history, navigate } = memoryLocation({ path: "/", record: true });
  render(
    <RpcProvider rpc={store.rpc}>
      <Router hook={hook}>
        <ContextualChatProvider>
          <AIChatPanel />
        </ContextualChatProvider>
      </Router>
    </RpcProvider>,
  );
  const go = (path: string) => act(() => navigate(path));
  return { store, history, go, user: userEvent.setup() };
}

test("an earlier conversation is opened again", async () => {
  const { user } = shown();

  await user.click(screen.getByRole("button", { name: "Earlier chats" }));
  await user.click(await screen.findByRole("button", { name: /About milk/ }));

  await screen.findByText("What about milk?");
  expect(localStorage.getItem("chat.home.lastSessionId")).toBe("milk");
  expect(screen.queryByRole("dialog")).toBeNull();
});

test("a conversation of the sidebar is opened in the sidebar", async () => {
  const { user, history } = shown();

  await user.click(screen.getByRole("button", { name: "Earlier chats" }));
  await user.click(await screen.findByRole("button", { name: /About pond/ }));

  expect(history?.at(-1)).toBe("/projects/p1");
  expect(localStorage.getItem("chat.contextual.lastSessionId")).toBe("pond");
  expect(sessionStorage.getItem("chat.contextual.open")).toBe("true");
});

test("the address of a conversation opens it, and is then that of the page", async () => {
  const { go, history } = shown();
  await screen.findByText("Good", { exact: false });

  go("/?chat=milk");
  await screen.findByText("What about milk?");
  expect(history?.at(-1)).toBe("/");

  go("/tasks?order=title&chat=pond");
  await waitFor(() => expect(localStorage.getItem("chat.contextual.lastSessionId")).toBe("pond"));
  expect(history?.at(-1)).toBe("/tasks?order=title");
  expect(localStorage.getItem("chat.home.lastSessionId")).toBe("milk");
});

test("a deleted conversation is removed and closed", async () => {
  localStorage.setItem("chat.home.lastSessionId", "roses");
  const { store, user } = shown();
  await screen.findByText("What about roses?");

  await user.click(screen.getByRole("button", { name: "Earlier chats" }));
  await user.click(await screen.findByRole("button", { name: "More", description: "About roses" }));
  const remove = await screen.findByRole("button", { name: "Delete", description: "About roses" });
  await user.dblClick(remove);
  expect(store.calls("deleteChat")).toEqual([]);
  await user.click(screen.getByRole("button", { name: "Yes, delete it" }));

  await waitFor(() => expect(screen.queryByText("About roses")).toBeNull());
  expect(store.calls("deleteChat")).toEqual([["roses"]]);
  expect(screen.queryByText("What about roses?")).toBeNull();
  expect(localStorage.getItem("chat.home.lastSessionId")).toBeNull();
  expect(document.activeElement).toBe(screen.getByRole("searchbox", { name: "Search in chats" }));
});

test("a conversation is found, renamed and pinned, and says that it waits", async () => {
  const { store, user } = shown();
  await user.click(screen.getByRole("button", { name: "Earlier chats" }));

  await user.type(await screen.findByRole("searchbox", { name: "Search in chats" }), "milk");
  await waitFor(() => expect(screen.queryByText("About roses")).toBeNull());
  expect(screen.getByRole("button", { name: /About milk/ }).textContent).toContain("waits for your yes or no");

  await user.click(screen.getByRole("button", { name: "More", description: "About milk" }));
  await user.click(screen.getByRole("button", { name: "Pin" }));
  await user.click(screen.getByRole("button", { name: "Rename" }));
  const title = screen.getByRole("textbox", { name: "Title of the chat" });
  await user.clear(title);
  await user.type(title, "Oat milk{Enter}");
  await waitFor(() => expect(store.calls("renameChat")).toEqual([["milk", "Oat milk"]]));
  expect(store.calls("pin")).toEqual([["milk", true]]);
});
