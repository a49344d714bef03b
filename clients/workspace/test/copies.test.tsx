import { Blob as SentBlob } from "node:buffer";
import { COPIED } from "@adiuva/client/database";
import { render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { contentShown, fileName, replacedShown } from "../src/pages/settings/copied";
import { Data } from "../src/pages/settings/Data";
import type { CopyContent, StoreApi } from "../src/rpc/messages";
import { RpcProvider, useRow, useRows } from "../src/rpc/RpcProvider";
import { ONLINE, ScriptedStore } from "./rpc";

type Counts = Partial<Record<(typeof COPIED)[number], readonly [rows: number, replaced: number]>>;

function summary(given: Counts, pictures = 0): CopyContent {
  const counts = COPIED.map((table) => {
    const [rows = 0, replaced = 0] = given[table] ?? [];
    return [table, { rows, replaced }];
  });
  return {
    madeAt: new Date(2026, 0, 2, 3, 4).getTime(),
    counts: Object.fromEntries(counts) as unknown as CopyContent["counts"],
    pictures,
  };
}

const FOUND = summary({ tasks: [12, 2], projects: [1, 1], ai_chat_sessions: [1, 0], ai_chat_messages: [9, 9] });

function shown(answers: Partial<Record<keyof StoreApi, () => unknown>>) {
  const store = new ScriptedStore(answers);
  store.tell({ type: "snapshot", snapshot: ONLINE });
  render(
    <RpcProvider rpc={store.rpc}>
      <Data />
    </RpcProvider>,
  );
  return { store, user: userEvent.setup() };
}

async function choose(user: ReturnType<typeof userEvent.setup>): Promise<void> {
  await user.upload(screen.getByLabelText("A copy to restore from"), new File(["{}"], "adiuva-2026-01-02.json"));
}

afterEach(() => {
  vi.restoreAllMocks();
});

test("a copy is saved under the day's name", async () => {
  const made: unknown[] = [];
  const saved: string[] = [];
  vi.spyOn(URL, "createObjectURL").mockImplementation((file) => {
    made.push(file);
    return "blob:copy";
  });
  vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (this: HTMLAnchorElement) {
    saved.push(`${this.href} ${this.download}`);
  });
  const { user } = shown({ exportCopy: () => new SentBlob(["all of it"]) });

  await user.click(screen.getByRole("button", { name: "Download a copy" }));

  await screen.findByText(`The browser saves it as ${fileName(new Blob())}.`);
  expect(saved).toEqual([`blob:copy ${fileName(new Blob())}`]);
  expect(await (made[0] as SentBlob).text()).toBe("all of it");
});

test("a read error is shown, and can be retried", async () => {
  const { store, user } = shown({
    exportCopy: () => {
      throw new Error("No room.");
    },
  });

  await user.click(screen.getByRole("button", { name: "Download a copy" }));

  expect((await screen.findByRole("alert")).textContent).toBe("No room.");
  await user.click(screen.getByRole("button", { name: "Download a copy" }));
  await waitFor(() => expect(store.calls("exportCopy")).toHaveLength(2));
});

test("the content of a file is shown before it is restored", async () => {
  const { store, user } = shown({ checkCopy: () => FOUND, restoreCopy: () => FOUND });

  await choose(user);
  const asked = await screen.findByRole("group", { name: "Restore from adiuva-2026-01-02.json?" });
  expect(asked.textContent).toContain("12 tasks, 1 project and 1 conversation");
  expect(asked.textContent).toContain("3 of them are here already and would be replaced. Other data is kept.");
  expect(asked.textContent).toContain("made 2 Jan, 03:04");
  expect(document.activeElement?.textContent).toBe("Leave it");
  expect(store.calls("restoreCopy")).toEqual([]);
  await user.click(within(asked).getByRole("button", { name: "Restore it" }));

  await screen.findByText("Restored: 12 tasks, 1 project and 1 conversation.");
  expect(store.calls("restoreCopy")).toHaveLength(1);
  expect(screen.queryByRole("group")).toBeNull();
  expect(document.activeElement?.textContent).toBe("Restore from a copy…");
});

test.each(["{Enter}", "{Escape}"])("a file is left alone with %s", async (key) => {
  const { store, user } = shown({ checkCopy: () => FOUND });
  await choose(user);
  await screen.findByRole("group");

  await user.keyboard(key);

  expect(screen.queryByRole("group")).toBeNull();
  expect(document.activeElement?.textContent).toBe("Restore from a copy…");
  expect(store.calls("restoreCopy")).toEqual([]);
});

test("a refused file shows the reason and is not restored", async () => {
  const { store, user } = shown({
    checkCopy: () => {
      throw new Error("This file is no copy of Adiuva’s data.");
    },
  });

  await choose(user);

  expect((await screen.findByRole("alert")).textContent).toBe("This file is no copy of Adiuva’s data.");
  expect(screen.queryByRole("group")).toBeNull();
  expect(store.calls("restoreCopy")).toEqual([]);
});

test("an empty copy asks nothing", async () => {
  const { user } = shown({ checkCopy: () => summary({}) });

  await choose(user);

  await screen.findByText("There is nothing in this copy.");
  expect(screen.queryByRole("group")).toBeNull();
});

test("the question stays open if restoring fails", async () => {
  const { user } = shown({
    checkCopy: () => FOUND,
    restoreCopy: () => {
      throw new Error("Nothing was restored: the disk is full.");
    },
  });
  await choose(user);

  await user.click(await screen.findByRole("button", { name: "Restore it" }));

  expect((await screen.findByRole("alert")).textContent).toBe("Nothing was restored: the disk is full.");
  expect(screen.getByRole("group")).toBeDefined();
});

test("everything is deleted after a confirmation", async () => {
  const { store, user } = shown({});

  await user.click(screen.getByRole("button", { name: "Delete everything here…" }));
  await user.click(screen.getByRole("button", { name: "Keep it" }));
  expect(store.calls("deleteEverything")).toEqual([]);
  await user.click(screen.getByRole("button", { name: "Delete everything here…" }));
  await user.click(screen.getByRole("button", { name: "Yes, delete all" }));

  await screen.findByText("Everything here is deleted.");
  expect(store.calls("deleteEverything")).toEqual([[]]);
});

test.each([
  [{ tasks: [1, 0] }, "1 task", "None of it is here yet. Existing data is kept."],
  [{ tasks: [1, 1] }, "1 task", "It is here already and would be replaced. Other data is kept."],
  [
    { tasks: [2, 1], notes: [1, 0] },
    "2 tasks and 1 note",
    "1 of them is here already and would be replaced. Other data is kept.",
  ],
  [{ tasks: [2000, 2000] }, "2,000 tasks", "All of them are here already and would be replaced. Other data is kept."],
] as const)("a copy of %j is said to be it", (counts: Counts, content, replaced) => {
  expect(contentShown(summary(counts))).toBe(content);
  expect(replacedShown(summary(counts))).toBe(replaced);
});

function Rows() {
  const rows = useRows("tasks");
  const row = useRow("tasks", "t1");
  return <output>{`${rows?.length} ${row?.title}`}</output>;
}

test("pages reload after a restore", async () => {
  let rows = [{ id: "t1", title: "Before" }];
  const store = new ScriptedStore({ select: () => rows, get: () => rows[0] ?? null });
  render(
    <RpcProvider rpc={store.rpc}>
      <Rows />
    </RpcProvider>,
  );
  await screen.findByText("1 Before");

  rows = [];
  store.tell({ type: "renewed" });

  await screen.findByText("0 undefined");
});

test("pictures are counted, and make the copy a zip file", () => {
  expect(contentShown(summary({ notes: [1, 0] }, 2))).toBe("1 note and 2 pictures");
  expect(fileName(new Blob([], { type: "application/zip" }), new Date(2026, 0, 2).getTime())).toBe(
    "adiuva-2026-01-02.zip",
  );
});
