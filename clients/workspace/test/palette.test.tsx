import { act, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { ContextualChatProvider } from "../src/chat/ContextualChatProvider";
import { CommandPalette } from "../src/palette/CommandPalette";
import type { Hit } from "../src/rpc/messages";
import { RpcProvider } from "../src/rpc/RpcProvider";
import { ScriptedStore } from "./rpc";

const ROOF: Hit = {
  table: "tasks",
  id: "t1",
  title: "Note of the roof",
  place: "/tasks/t1",
  isDone: false,
  excerpt: "",
};

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
  render(
    <RpcProvider rpc={store.rpc}>
      <ContextualChatProvider>
        <CommandPalette isQuickAdd={false} onClose={() => undefined} onHelp={() => undefined} />
      </ContextualChatProvider>
    </RpcProvider>,
  );
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
