import { act, renderHook } from "@testing-library/react";
import { expect, test } from "vitest";
import { useDraft } from "../src/parts/draft";
import { RpcClient } from "../src/rpc/client";
import { expectedSnapshot, rememberAccount } from "../src/rpc/last_account";
import { NOTHING } from "../src/rpc/messages";
import { RpcServer } from "../src/rpc/server";
import { channels, ONLINE } from "./rpc";

test("until the store has opened, a page shows the workspace of who was signed in last", async () => {
  rememberAccount(ONLINE.account);
  const open = channels();
  const rpc = new RpcClient(open, expectedSnapshot());
  expect(rpc.snapshot).toEqual({ ...NOTHING, account: ONLINE.account });

  new RpcServer(open).tell({ type: "snapshot", snapshot: { ...NOTHING, account: { at: "signed-out" } } });
  await new Promise((resolve) => rpc.onEvent(resolve));
  expect(rpc.snapshot.account.at).toBe("signed-out");
});

test("no one is expected before signing in and after signing out, but after a failure", () => {
  expect(expectedSnapshot()).toEqual(NOTHING);
  rememberAccount(ONLINE.account);
  rememberAccount({ at: "failed", why: "The data is locked." });
  expect(expectedSnapshot().account).toEqual(ONLINE.account);

  rememberAccount({ at: "signed-out" });
  expect(expectedSnapshot()).toEqual(NOTHING);
});

test("drafts are found again by their user and never by another", () => {
  const written = () => renderHook(() => useDraft("chat.home")).result;
  rememberAccount(ONLINE.account);
  const draft = written();
  act(() => draft.current[1]("About my divorce"));

  rememberAccount({ at: "signed-out" });
  rememberAccount(ONLINE.account);
  expect(written().current[0]).toBe("About my divorce");

  // As in a restored tab: the other tab has heard of it.
  localStorage.setItem("account", "bob@example.com");
  expectedSnapshot();
  expect(written().current[0]).toBe("");
});
