import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { RpcClient } from "../src/rpc/client";
import type { Snapshot } from "../src/rpc/messages";
import { RpcProvider } from "../src/rpc/RpcProvider";
import { SavedViews } from "../src/tasks/SavedViews";
import { channels, ONLINE } from "./rpc";

const QUERY = "?search=lawyer";
const BOB: Snapshot = { ...ONLINE, account: { at: "signed-in", email: "bob@example.com" } };

function shown(snapshot = ONLINE, query = QUERY) {
  return render(
    <RpcProvider rpc={new RpcClient(channels(), snapshot)}>
      <SavedViews query={query} />
    </RpcProvider>,
  );
}

test("a saved view is there for its user and for no other", async () => {
  const user = userEvent.setup();
  const { unmount } = shown();
  await user.click(screen.getByRole("button", { name: "Save this view" }));
  await user.type(screen.getByRole("textbox"), "Divorce{Enter}");
  expect(screen.getByRole("link", { name: "Divorce" })).toBeDefined();
  unmount();

  const bobs = shown(BOB);
  expect(screen.queryByRole("link", { name: "Divorce" })).toBeNull();
  bobs.unmount();

  shown();
  expect(screen.getByRole("link", { name: "Divorce" })).toBeDefined();
});

test("views of an earlier version are of the first who signs in", () => {
  localStorage.setItem("tasks.views", JSON.stringify([{ name: "Divorce", query: QUERY }]));
  shown(ONLINE, "").unmount();
  const bobs = shown(BOB, "");
  expect(screen.queryByRole("link", { name: "Divorce" })).toBeNull();
  bobs.unmount();

  shown(ONLINE, "");
  expect(screen.getByRole("link", { name: "Divorce" })).toBeDefined();
});
