import type { Undone } from "@adiuva/client";
import type { Entry } from "@adiuva/client/database";
import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { ContextualChatProvider } from "../src/chat/ContextualChatProvider";
import { Message } from "../src/chat/Message";
import { HistoryPage } from "../src/pages/HistoryPage";
import { dayField, daysFrom } from "../src/parts/dates";
import { RpcProvider } from "../src/rpc/RpcProvider";
import { UndoKey } from "../src/undo/UndoKey";
import { message, ScriptedStore } from "./rpc";

const ROOF = { id: "t1", title: "Roof", status: "done" };
const BEFORE = { ...ROOF, status: "todo" };
const CHANGED: Entry = {
  id: "c1",
  requestId: "r1",
  by: "task_agent",
  at: new Date(2026, 10, 24, 10, 5).getTime(),
  changes: [{ table: "tasks", id: "t1", before: BEFORE, after: ROOF }],
  undoes: [],
  undoneBy: null,
};
const DONE: Undone = {
  id: "u1",
  undone: [{ table: "tasks", id: "t1", effect: "reverted", before: ROOF, after: BEFORE }],
  conflicts: [],
};
const WALL = { table: "tasks", id: "t2", before: null, after: { id: "t2", title: "Wall" } } as const;
const STUCK: Undone = {
  id: null,
  undone: [],
  conflicts: [{ table: "tasks", id: "t1", now: { ...ROOF, title: "Door" }, would_be: BEFORE }],
};
const NO_CHANGES = { type: "change", changes: [] } as const;

function answer(mutations: object[]) {
  const outcome = { requestId: "r1", finishReason: "done", mutations };
  return message({ id: "m2", role: "assistant", content: "Done.", toolCalls: [outcome] });
}

function shown(store: ScriptedStore, mutations: object[] = [{ action: "update", table: "tasks", id: "t1" }]) {
  render(
    <RpcProvider rpc={store.rpc}>
      <Message message={answer(mutations)} />
    </RpcProvider>,
  );
  return userEvent.setup();
}

test("an answer that changed something can be undone, and done again", async () => {
  let entries = [CHANGED];
  const store = new ScriptedStore({ history: () => entries, undo: () => DONE });
  const user = shown(store);

  await user.click(await screen.findByRole("button", { name: "Undo" }));
  expect(store.calls("undo")).toEqual([[{ request: "r1" }, false]]);
  entries = [{ ...CHANGED, undoneBy: "u1" }];
  store.tell(NO_CHANGES);

  await user.click(await screen.findByRole("button", { name: "Redo" }));
  expect(screen.getByText("Undone.")).toBeDefined();
  expect(store.calls("undo")[1]).toEqual([{ call: "u1" }, false]);
});

test("an answer that changed nothing, or whose changes are not kept, has nothing to undo", async () => {
  const store = new ScriptedStore({ history: () => [{ ...CHANGED, changes: [] }] });
  shown(store, []);
  expect(store.calls("history")).toEqual([]);
  shown(store);
  await waitFor(() => expect(store.calls("history")).toEqual([[{ request: "r1" }]]));
  expect(screen.queryByRole("button", { name: "Undo" })).toBeNull();
});

test("what was changed since is shown in both versions, and the rest can be undone", async () => {
  let entries = [CHANGED];
  const store = new ScriptedStore({ history: () => entries, undo: () => STUCK });
  const user = shown(store);
  await user.click(await screen.findByRole("button", { name: "Undo" }));

  expect((await screen.findByRole("alert")).textContent).toBe("Nothing was undone, because of what was changed since.");
  const changed = screen.getAllByRole("definition").filter((each) => each.className === "changed");
  expect(changed.map((each) => each.textContent)).toEqual(["Door", "done", "Roof", "to do"]);
  expect(screen.queryByRole("button", { name: "Undo everything else" })).toBeNull();
  entries = [{ ...CHANGED, changes: [...CHANGED.changes, WALL] }];
  store.tell(NO_CHANGES);
  await user.click(await screen.findByRole("button", { name: "Undo everything else" }));
  expect(store.calls("undo")[1]).toEqual([{ request: "r1" }, true]);
  await waitFor(() => expect(screen.getByRole("alert").textContent).toMatch(/^This was left as it is/));
  expect(screen.queryByRole("button", { name: "Undo everything else" })).toBeNull();
  await user.click(screen.getByRole("button", { name: "Keep it as it is" }));
  expect(screen.queryByRole("alert")).toBeNull();
});

test("a row that keeps a project from being undone is shown with that project and without it", async () => {
  const kitchen = { id: "p1", name: "Kitchen" };
  const tiles = { id: "t1", projectId: "p1", title: "Choose tiles" };
  const conflicts = [
    { table: "projects", id: "p1", now: kitchen, would_be: null },
    { table: "tasks", id: "t1", now: tiles, would_be: { ...tiles, projectId: null } },
  ];
  const store = new ScriptedStore({
    history: () => [CHANGED],
    undo: () => ({ id: null, undone: [], conflicts }),
    get: () => kitchen,
  });
  const user = shown(store);
  await user.click(await screen.findByRole("button", { name: "Undo" }));

  expect(await screen.findByText("It would be deleted.")).toBeDefined();
  const changed = () => screen.getAllByRole("definition").filter((each) => each.className === "changed");
  await waitFor(() => expect(changed().map((each) => each.textContent)).toEqual(["Kitchen", "–"]));
  expect(store.calls("get")).toEqual([["projects", "p1"]]);
});

test("Ctrl-Z undoes the latest change outside text fields, and says which", async () => {
  let undone: Undone | null = DONE;
  const store = new ScriptedStore({ undoLatest: () => undone, undo: () => DONE });
  render(
    <RpcProvider rpc={store.rpc}>
      <input aria-label="Title" />
      <UndoKey />
    </RpcProvider>,
  );
  const user = userEvent.setup();
  await user.type(screen.getByLabelText("Title"), "{Control>}z{/Control}");
  expect(store.calls("undoLatest")).toEqual([]);
  await user.click(document.body);
  await user.keyboard("{Control>}{Shift>}z{/Shift}{/Control}z");
  expect(store.calls("undoLatest")).toEqual([]);

  await user.keyboard("{Control>}z{/Control}");
  expect((await screen.findByText(/^Undone: the task “Roof”\./)).textContent).toContain("Show history");
  await user.click(screen.getByRole("button", { name: "Redo" }));
  expect(store.calls("undo")).toEqual([[{ call: "u1" }, false]]);
  await screen.findByText(/^Redone: the task “Roof”\./);

  await user.keyboard("{Control>}z{/Control}");
  await screen.findByText(/^Undone: the task “Roof”\./);
  await user.keyboard("{Control>}{Shift>}z{/Shift}{/Control}");
  await waitFor(() => expect(store.calls("undo")).toHaveLength(2));
  await user.keyboard("{Control>}{Shift>}z{/Shift}{/Control}");
  await screen.findByText(/^There is nothing to redo\./);

  undone = STUCK;
  await user.keyboard("{Meta>}z{/Meta}");
  await screen.findByText(/^The latest change was not undone, because of what was changed since\./);
  undone = null;
  await user.keyboard("{Control>}z{/Control}");
  await screen.findByText(/^There is nothing to undo\./);
});

test("the history of a day says what was changed by whom, each with its undo", async () => {
  const added = { table: "notes", id: "n1", before: null, after: { id: "n1", title: "", content: "" } } as const;
  const entries: Entry[] = [
    { ...CHANGED, id: "u1", by: "user", undoes: ["c0"] },
    { ...CHANGED, id: "u2", by: "user", undoes: ["c0"], changes: [] },
    { ...CHANGED, id: "c4", changes: [WALL, WALL, ...CHANGED.changes, WALL, WALL, WALL, WALL] },
    { ...CHANGED, id: "c2", by: "mcp: notes-app", changes: [added] },
    { ...CHANGED, undoneBy: "u9" },
    { ...CHANGED, id: "c3", changes: [] },
  ];
  const store = new ScriptedStore({ history: () => entries, undo: () => DONE });
  render(
    <RpcProvider rpc={store.rpc}>
      <ContextualChatProvider>
        <HistoryPage />
      </ContextualChatProvider>
    </RpcProvider>,
  );
  const rows = await screen.findAllByRole("listitem");
  expect(rows.map((row) => row.textContent)).toEqual([
    "10:05Changed the task “Roof”You, by undoingUndo",
    "10:05Nothing was left to undoYou, by undoingUndo",
    "10:05Added the task “Wall”, the task “Wall”, changed the task “Roof”, added the task “Wall”, the task “Wall”, " +
      "and 2 moreThe assistantUndo",
    "10:05Added a noteA program (mcp: notes-app)Undo",
    "10:05Changed the task “Roof”The assistant · undoneRedo",
  ]);
  const user = userEvent.setup();
  await user.click(screen.getByRole("button", { name: "Undo: Added a note" }));
  await user.click(screen.getByRole("button", { name: "Redo: Changed the task “Roof”" }));
  await user.click(screen.getByRole("button", { name: "Undo all but your own changes" }));
  await user.click(screen.getByRole("button", { name: "Undo all by mcp: notes-app" }));
  const [[{ day }]] = store.calls("history") as [[{ day: string }]];
  expect(store.calls("undo")).toEqual([
    [{ call: "c2" }, false],
    [{ call: "u9" }, false],
    [{ day }, false],
    [{ by: "mcp: notes-app", day }, false],
  ]);
});

test("a day without changes says so", async () => {
  const store = new ScriptedStore({ history: () => [] });
  render(
    <RpcProvider rpc={store.rpc}>
      <ContextualChatProvider>
        <HistoryPage />
      </ContextualChatProvider>
    </RpcProvider>,
  );
  await screen.findByText("Nothing was changed on this day.");
  await userEvent.setup().selectOptions(screen.getByLabelText("Day"), "Yesterday");
  await waitFor(() => expect(store.calls("history").at(-1)).toEqual([{ day: dayField(daysFrom(Date.now(), -1)) }]));
});
