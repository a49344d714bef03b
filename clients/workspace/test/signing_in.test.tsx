import { act, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Router } from "wouter";
import { memoryLocation } from "wouter/memory-location";
import { ConnectionStatus } from "../src/chat/ConnectionStatus";
import { AccountPage } from "../src/pages/AccountPage";
import { NOTHING, type Snapshot } from "../src/rpc/messages";
import { RpcProvider } from "../src/rpc/RpcProvider";
import { ONLINE, ScriptedStore } from "./rpc";

const OUT: Snapshot = { ...NOTHING, account: { at: "signed-out" } };
const ENDED: Snapshot = { ...ONLINE, connection: { at: "ended", why: "The session is over." } };

async function atSignIn(first: Snapshot, answers = {}) {
  const store = new ScriptedStore(answers);
  const place = memoryLocation({ path: "/sign-in", record: true });
  render(
    <RpcProvider rpc={store.rpc}>
      <Router hook={place.hook}>
        <AccountPage isNew={false} />
      </Router>
    </RpcProvider>,
  );
  const hear = (snapshot: Snapshot) => act(async () => store.tell({ type: "snapshot", snapshot }));
  await hear(first);
  return { hear, at: () => place.history.at(-1) };
}

test("signing in in another tab leads into the workspace in this one", async () => {
  const { hear, at } = await atSignIn(OUT);
  expect(at()).toBe("/sign-in");
  await hear(ONLINE);
  expect(at()).toBe("/");
});

test("so does signing in again after the session had ended", async () => {
  const { hear, at } = await atSignIn(ENDED);
  expect(at()).toBe("/sign-in");
  await hear({ ...ONLINE, connection: { at: "connecting", isFirst: false } });
  expect(at()).toBe("/");
});

test("someone who is signed in may sign in as someone else", async () => {
  const { hear, at } = await atSignIn(ONLINE);
  await hear({ ...ONLINE, connection: { at: "waiting", until: 0, isFirst: false } });
  await hear(ONLINE);
  expect(at()).toBe("/sign-in");
});

test("a form that is being sent is not left before its answer", async () => {
  let refuse: (error: Error) => void = () => undefined;
  const refused = new Promise((_resolve, reject) => {
    refuse = reject;
  });
  const { hear, at } = await atSignIn(OUT, { signIn: () => refused });
  const user = userEvent.setup();
  await user.type(screen.getByLabelText("Email address"), "alice@example.com");
  await user.type(screen.getByLabelText("Password"), "a long password{Enter}");
  await hear(ONLINE);
  expect(at()).toBe("/sign-in");
  await act(async () => refuse(new Error("The device is unknown.")));
  expect(at()).toBe("/");
});

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
});

afterEach(() => {
  vi.useRealTimers();
});

test.each([
  [true, 3_000, "Connecting…"],
  [false, 600, "Reconnecting…"],
])("a connection that is the first one (%s) is mentioned after %d ms", async (isFirst, ms, text) => {
  const store = new ScriptedStore();
  render(
    <RpcProvider rpc={store.rpc}>
      <ConnectionStatus />
    </RpcProvider>,
  );
  const hear = (snapshot: Snapshot) => act(async () => store.tell({ type: "snapshot", snapshot }));
  await hear({ ...ONLINE, connection: { at: "connecting", isFirst } });
  expect(screen.queryByRole("status")).toBeNull();
  await act(async () => vi.advanceTimersByTime(ms));
  expect(screen.getByRole("status").textContent?.startsWith(text)).toBe(true);
  await hear(ONLINE);
  expect(screen.queryByRole("status")).toBeNull();
});
