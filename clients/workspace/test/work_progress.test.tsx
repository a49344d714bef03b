import { act, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { WorkProgress } from "../src/parts/WorkProgress";
import type { Progress } from "../src/rpc/messages";
import { RpcProvider } from "../src/rpc/RpcProvider";
import { reported } from "../src/store/reporting";
import { ONLINE, ScriptedStore } from "./rpc";

const DELETING: Progress = { type: "progress", work: "deleting", done: 0, total: 600 };

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

async function shown() {
  const store = new ScriptedStore();
  render(
    <RpcProvider rpc={store.rpc}>
      <WorkProgress />
    </RpcProvider>,
  );
  const tell = (...events: Parameters<ScriptedStore["tell"]>) => act(async () => store.tell(...events));
  const wait = (ms: number) => act(async () => vi.advanceTimersByTime(ms));
  return { tell, wait };
}

test("a change of many rows shows how far it is, until its end", async () => {
  const { tell, wait } = await shown();
  await tell(DELETING);
  expect(screen.queryByRole("progressbar")).toBeNull();

  await wait(300);
  await tell({ ...DELETING, done: 250 });
  const bar = screen.getByRole<HTMLProgressElement>("progressbar", { name: "Deleting…" });
  expect([bar.value, bar.max]).toEqual([250, 600]);
  expect(screen.getByRole("status").textContent).toBe("Deleting…");

  await tell({ ...DELETING, done: 600 });
  expect(screen.queryByRole("progressbar")).toBeNull();
});

test("work that is over at once, and an import, which shows it itself, are not mentioned", async () => {
  const { tell, wait } = await shown();
  const { work: _none, ...ofOldVersion } = DELETING;
  await tell(DELETING, { ...DELETING, done: 600 }, { ...DELETING, work: "importing" }, ofOldVersion as Progress);
  await wait(1_000);
  expect(screen.queryByRole("progressbar")).toBeNull();
});

test("nothing is shown of the work of a store that is gone", async () => {
  const { tell, wait } = await shown();
  await tell(DELETING);
  await wait(300);
  expect(screen.getByRole("progressbar")).toBeDefined();
  await tell({ type: "snapshot", snapshot: ONLINE });
  expect(screen.queryByRole("progressbar")).toBeNull();
});

test("pages hear a part of the reports, and the end, also of an error", async () => {
  const told: unknown[] = [];
  const work = reported(
    (event) => told.push(event),
    "deleting",
    async (report) => {
      for (let done = 0; done < 600; done += 1) {
        report(done, 600);
      }
      throw new Error("the disk is full");
    },
  );
  await expect(work).rejects.toThrow("the disk is full");
  expect(told).toEqual([0, 250, 500, 600].map((done) => ({ ...DELETING, done })));
});

test("pages hear nothing of a few rows", async () => {
  const told: unknown[] = [];
  await reported(
    (event) => told.push(event),
    "changing",
    async (report) => report(0, 250),
  );
  expect(told).toEqual([]);
});
