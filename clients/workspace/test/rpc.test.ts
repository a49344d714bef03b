import { expect, test, vi } from "vitest";
import { RpcClient } from "../src/rpc/client";
import type { StoreApi } from "../src/rpc/messages";
import { RpcServer } from "../src/rpc/server";
import { channels, ONLINE } from "./rpc";

function storeOf(acts: Partial<Record<keyof StoreApi, (...args: never[]) => Promise<unknown>>>): StoreApi {
  return { snapshot: async () => ONLINE, ...acts } as unknown as StoreApi;
}

test("a call is answered, and errors are reported", async () => {
  const open = channels();
  const rpc = new RpcClient(open);
  new RpcServer(open).serve(
    storeOf({
      get: async (...[, id]: [never, never]) => ({ id }),
      insert: async () => {
        throw new Error("tasks need a title.");
      },
    }),
  );

  expect(await rpc.store.get("tasks", "t1")).toEqual({ id: "t1" });
  await expect(rpc.store.insert("tasks", {})).rejects.toThrow("tasks need a title.");
});

test("a call made before the store starts is run once", async () => {
  const open = channels();
  const rpc = new RpcClient(open);
  const insert = vi.fn(async () => ({ id: "t1" }));
  const asked = rpc.store.insert("tasks", { title: "A" });
  const server = new RpcServer(open);
  const later = rpc.store.insert("tasks", { title: "B" });
  server.serve(storeOf({ insert }));

  await Promise.all([asked, later]);
  expect(insert).toHaveBeenCalledTimes(2);
});

test("a call that a lost store had accepted fails, because its outcome is unknown", async () => {
  const open = channels();
  const rpc = new RpcClient(open);
  new RpcServer(open).serve(storeOf({ remove: () => new Promise(() => undefined) }));
  const asked = rpc.store.remove("tasks", "t1");
  await Promise.resolve();
  await new Promise((resume) => setTimeout(resume));
  new RpcServer(open).serve(storeOf({}));

  await expect(asked).rejects.toThrow("was closed meanwhile");
});

test.each([
  ["select", (store: StoreApi) => store.select("tasks", {}, 10)],
  ["rest", (store: StoreApi) => store.rest("GET", "/api/v1/devices")],
] as const)("a call of %s that only reads is made again when a lost store had accepted it", async (method, call) => {
  const open = channels();
  const rpc = new RpcClient(open);
  const lost = vi.fn(() => new Promise(() => undefined));
  new RpcServer(open).serve(storeOf({ [method]: lost }));
  const asked = call(rpc.store);
  await vi.waitFor(() => expect(lost).toHaveBeenCalled());
  new RpcServer(open).serve(storeOf({ [method]: async () => "read" }));

  expect(await asked).toBe("read");
});

test("every page receives the state", async () => {
  const open = channels();
  const pages = [new RpcClient(open), new RpcClient(open)];
  const heard = pages.map((page) => new Promise((resolve) => page.onEvent(resolve)));
  new RpcServer(open).tell({ type: "snapshot", snapshot: ONLINE });

  expect(await Promise.all(heard)).toEqual([
    { type: "snapshot", snapshot: ONLINE },
    { type: "snapshot", snapshot: ONLINE },
  ]);
  expect(pages.map((page) => page.snapshot)).toEqual([ONLINE, ONLINE]);
});

test("a page that opens later receives the current state", async () => {
  const open = channels();
  new RpcServer(open).serve(storeOf({ snapshot: async () => ONLINE }));
  const late = new RpcClient(open);
  await new Promise((resolve) => late.onEvent(resolve));

  expect(late.snapshot).toEqual(ONLINE);
});
