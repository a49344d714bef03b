import { expect, test, vi } from "vitest";
import { Exchange } from "../src/keeper/exchange";
import { Line } from "../src/line/line";
import type { KeeperApi } from "../src/line/messages";
import { channels, ONLINE } from "./line";

function keeperOf(acts: Partial<Record<keyof KeeperApi, (...args: never[]) => Promise<unknown>>>): KeeperApi {
  return { snapshot: async () => ONLINE, ...acts } as unknown as KeeperApi;
}

test("a call is answered, and what went wrong is said", async () => {
  const open = channels();
  const line = new Line(open);
  new Exchange(open).serve(
    keeperOf({
      get: async (...[, id]: [never, never]) => ({ id }),
      insert: async () => {
        throw new Error("tasks need a title.");
      },
    }),
  );

  expect(await line.keeper.get("tasks", "t1")).toEqual({ id: "t1" });
  await expect(line.keeper.insert("tasks", {})).rejects.toThrow("tasks need a title.");
});

test("a call that was made before there is a keeper is done, once", async () => {
  const open = channels();
  const line = new Line(open);
  const insert = vi.fn(async () => ({ id: "t1" }));
  const asked = line.keeper.insert("tasks", { title: "A" });
  const exchange = new Exchange(open);
  const later = line.keeper.insert("tasks", { title: "B" });
  exchange.serve(keeperOf({ insert }));

  await Promise.all([asked, later]);
  expect(insert).toHaveBeenCalledTimes(2);
});

test("a call that a lost keeper had taken fails, for nobody knows what came of it", async () => {
  const open = channels();
  const line = new Line(open);
  new Exchange(open).serve(keeperOf({ remove: () => new Promise(() => undefined) }));
  const asked = line.keeper.remove("tasks", "t1");
  await Promise.resolve();
  await new Promise((resume) => setTimeout(resume));
  new Exchange(open).serve(keeperOf({}));

  await expect(asked).rejects.toThrow("was closed meanwhile");
});

test("every page is told", async () => {
  const open = channels();
  const pages = [new Line(open), new Line(open)];
  const heard = pages.map((page) => new Promise((resolve) => page.onEvent(resolve)));
  new Exchange(open).tell({ type: "snapshot", snapshot: ONLINE });

  expect(await Promise.all(heard)).toEqual([
    { type: "snapshot", snapshot: ONLINE },
    { type: "snapshot", snapshot: ONLINE },
  ]);
  expect(pages.map((page) => page.snapshot)).toEqual([ONLINE, ONLINE]);
});

test("a page that comes late is told how things stand", async () => {
  const open = channels();
  new Exchange(open).serve(keeperOf({ snapshot: async () => ONLINE }));
  const late = new Line(open);
  await new Promise((resolve) => late.onEvent(resolve));

  expect(late.snapshot).toEqual(ONLINE);
});
