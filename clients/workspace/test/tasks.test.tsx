import type { RowOf } from "@adiuva/client/database";
import { render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { ContextualChatProvider } from "../src/chat/ContextualChatProvider";
import { TaskDialog } from "../src/pages/TaskDialog";
import { RpcProvider } from "../src/rpc/RpcProvider";
import { task } from "./rows";
import { ScriptedStore } from "./rpc";

const TASK = task("t1", { title: "Buy milk", priority: "low" });

type Comment = RowOf["taskComments"];

function comment(id: string, content: string, author = "Anna"): Comment {
  return { id, taskId: "t1", author, content, createdAt: new Date(2020, 1, 3, 14, 5).getTime() };
}

/** Stores comments as the real one does, and reports each change. */
function keeping(comments: Comment[]): ScriptedStore {
  const store: ScriptedStore = new ScriptedStore({
    select: (table: string) => (table === "taskComments" ? comments : []),
    insert: (_table: string, given: Comment) => {
      comments.push({ ...given, id: `new${comments.length}`, createdAt: Date.now() });
      told();
    },
    remove: (_table: string, id: string) => {
      comments.splice(
        comments.findIndex((each) => each.id === id),
        1,
      );
      told();
      return true;
    },
    update: () => TASK,
    ask: () => "s1",
    openChat: () => null,
  });
  const told = () => store.tell({ type: "change", changes: [{ action: "update", table: "taskComments", id: "any" }] });
  return store;
}

function opened(store: ScriptedStore, task: RowOf["tasks"] | null = TASK) {
  const onClose = vi.fn();
  const { unmount } = render(
    <RpcProvider rpc={store.rpc}>
      <ContextualChatProvider>
        <TaskDialog task={task} onClose={onClose} />
      </ContextualChatProvider>
    </RpcProvider>,
  );
  return { onClose, unmount, user: userEvent.setup() };
}

async function contents(): Promise<(string | null)[]> {
  const shown = await screen.findAllByRole("article");
  return shown.map((each) => each.querySelector("p")?.textContent ?? null);
}

test("comments are shown with author and time, and the assistant's new comment appears by itself", async () => {
  const comments = [comment("c1", "The shop closes at six"), comment("c2", "Two litres", "Marco")];
  const store = keeping(comments);
  opened(store);

  expect(await contents()).toEqual(["The shop closes at six", "Two litres"]);
  expect(screen.getByText("Marco")).toBeDefined();
  expect(screen.getAllByText("3 Feb 2020, 14:05")).toHaveLength(2);
  expect(store.calls("select").find(([table]) => table === "taskComments")?.[1]).toEqual({ taskId: "t1" });

  comments.push(comment("c3", "Done on the way home", "Me"));
  store.tell({ type: "change", changes: [{ action: "insert", table: "taskComments", id: "c3" }] });
  await waitFor(async () => expect(await contents()).toHaveLength(3));
});

test("what a description refers to can be followed from the task, and leads to what has that title", async () => {
  const store = keeping([]);
  const rows: Partial<Record<string, readonly object[]>> = {
    notes: [{ id: "n1", title: "Tone, [draft]", content: "For [[buy MILK]].", createdAt: 0, updatedAt: 0 }],
    tasks: [TASK, { ...TASK, id: "t2", title: "Fix the menu", description: "After [[Buy milk]]" }],
  };
  store.answers.select = (table: string) => rows[table] ?? [];
  store.answers.picture = () => null;
  const picture = "00000000-0000-4000-8000-000000000000.png";
  const description = [
    "See [[Tone, draft]], [[tone, DRAFT]], [[fix the menu]] and [[Nowhere]].",
    "On [the web](https://example.com/a_(b)) and https://example.com/c, not `https://example.com/d [[here]]`.",
    `![the plan](attachment:${picture})`,
  ].join("\n");
  opened(store, { ...TASK, description });

  const links = await screen.findByRole("list", { name: "Links of the description" });
  await waitFor(() =>
    expect(
      within(links)
        .getAllByRole("link")
        .map((link) => [link.textContent, link.getAttribute("href")]),
    ).toEqual([
      ["Tone, draft", "/notes/n1"],
      ["fix the menu", "/tasks/t2"],
      ["Nowhere", "/notes/new?title=Nowhere"],
      ["the web ↗", "https://example.com/a_(b)"],
      ["https://example.com/c ↗", "https://example.com/c"],
    ]),
  );
  expect([...links.querySelectorAll(".host")].map(({ textContent }) => textContent)).toEqual(["(example.com)"]);
  expect(within(links).getByText("the plan")).toBeDefined();
  expect(store.calls("picture")).toEqual([[picture]]);
  const linking = screen.getByRole("navigation", { name: "What links here" });
  expect(
    within(linking)
      .getAllByRole("link")
      .map((link) => link.getAttribute("href")),
  ).toEqual(["/notes/n1", "/tasks/t2"]);
});

test("after adding a comment the task stays open", async () => {
  const store = keeping([]);
  const { user, onClose } = opened(store);
  const input = screen.getByLabelText("New comment");
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "Add comment" }).disabled).toBe(true);

  await user.type(input, "  Two litres ");
  await user.click(screen.getByRole("button", { name: "Add comment" }));

  await waitFor(async () => expect(await contents()).toEqual(["Two litres"]));
  expect(store.calls("insert")).toEqual([["taskComments", { taskId: "t1", author: "Me", content: "Two litres" }]]);
  expect(input).toHaveProperty("value", "");
  expect(document.activeElement).toBe(input);
  expect(onClose).not.toHaveBeenCalled();
});

test("a comment is deleted after a confirmation", async () => {
  const store = keeping([comment("c1", "The shop closes at six"), comment("c2", "Two litres")]);
  const { user } = opened(store);
  const [first] = await screen.findAllByRole("article");
  const button = within(first as HTMLElement).getByRole("button", { name: "Delete" });
  expect(document.getElementById(button.getAttribute("aria-describedby") ?? "")?.textContent).toBe(
    "The shop closes at six",
  );

  await user.dblClick(button);
  expect(store.calls("remove")).toEqual([]);
  await user.click(screen.getByRole("button", { name: "Yes, delete it" }));

  await waitFor(async () => expect(await contents()).toEqual(["Two litres"]));
  expect(store.calls("remove")).toEqual([["taskComments", "c1"]]);
  expect(document.activeElement).toBe(screen.getByLabelText("New comment"));
});

test("a task stays without a confirmation, or if it cannot be deleted", async () => {
  let isFull = true;
  const remove = () => {
    if (isFull) {
      throw new Error("The disk is full.");
    }
    return true;
  };
  const { user, onClose } = opened(new ScriptedStore({ select: () => [], remove }));
  const button = () => screen.getByRole("button", { name: "Delete" });

  await user.click(button());
  expect(document.activeElement).toBe(screen.getByRole("button", { name: "Keep it" }));
  await user.keyboard("{Escape}");
  expect(document.activeElement).toBe(button());

  await user.click(button());
  await user.click(screen.getByRole("button", { name: "Yes, delete it" }));
  expect((await screen.findByRole("alert")).textContent).toBe("The disk is full.");
  expect(onClose).not.toHaveBeenCalled();
  isFull = false;
  await user.click(screen.getByRole("button", { name: "Yes, delete it" }));
  await waitFor(() => expect(onClose).toHaveBeenCalled());
});

test("saving the task adds no comment and loses none that is being written", async () => {
  const store = keeping([]);
  const { user, onClose, unmount } = opened(store);
  await user.type(screen.getByLabelText("New comment"), "Half a thou");
  await user.click(screen.getByRole("button", { name: "Save" }));
  await waitFor(() => expect(onClose).toHaveBeenCalled());
  unmount();

  expect(store.calls("insert")).toEqual([]);
  opened(store);
  expect(screen.getByLabelText("New comment")).toHaveProperty("value", "Half a thou");
});

test("of many comments the latest are shown until the user asks for all", async () => {
  const many = Array.from({ length: 50 }, (_none, index) => comment(`c${index}`, `Number ${index}`));
  const { user } = opened(keeping(many));

  expect((await contents()).at(0)).toBe("Number 30");
  await user.click(screen.getByRole("button", { name: "Show 30 earlier" }));
  expect((await contents()).at(0)).toBe("Number 0");
});

test("a new task has no comments", () => {
  opened(keeping([]), null);

  expect(screen.queryByLabelText("New comment")).toBeNull();
});

test("a brief on the task is asked for beside the page", async () => {
  const store = keeping([]);
  const { user, onClose } = opened(store);

  await user.click(await screen.findByRole("button", { name: "Brief me on it" }));

  await waitFor(() => expect(store.calls("ask")).toHaveLength(1));
  expect(store.calls("ask")[0]?.[0]).toMatchObject({
    channel: "contextual",
    message: "What should I know before I begin “Buy milk”?",
    brief: { of: "task", taskId: "t1" },
  });
  expect(sessionStorage.getItem("chat.contextual.open")).toBe("true");
  expect(onClose).toHaveBeenCalled();
});

test("a changed task is saved before its brief is requested", async () => {
  const { user } = opened(keeping([]), { ...TASK, assignee: '["Anna",  "Marco"]' });
  await screen.findByRole("button", { name: "Brief me on it" });

  await user.type(screen.getByLabelText("Title"), "!");

  expect(screen.queryByRole("button", { name: "Brief me on it" })).toBeNull();
});

test("unchanged names keep their exact text", async () => {
  const store = keeping([]);
  const { user } = opened(store, { ...TASK, assignee: '["Anna",  "Marco"]' });

  await user.type(screen.getByLabelText("Title"), "!");
  await user.click(screen.getByRole("button", { name: "Save" }));

  await waitFor(() => expect(store.calls("update")).toHaveLength(1));
  expect(store.calls("update")[0]?.[2]).toMatchObject({ title: "Buy milk!", assignee: '["Anna",  "Marco"]' });
});

function dialogOf(store: ScriptedStore, changes: Partial<RowOf["tasks"]>) {
  return (
    <RpcProvider rpc={store.rpc}>
      <ContextualChatProvider>
        <TaskDialog task={task("t1", changes)} onClose={() => undefined} />
      </ContextualChatProvider>
    </RpcProvider>
  );
}

test("what was changed elsewhere in a field that is being edited is not replaced without a word", async () => {
  const store = keeping([]);
  const user = userEvent.setup();
  const said = () => screen.queryByText(/^Changed elsewhere/)?.textContent;
  const { rerender, unmount } = render(dialogOf(store, { description: "Call her." }));
  await user.type(screen.getByLabelText("Description"), " Soon.");
  rerender(dialogOf(store, { title: "Call", description: "Call her." }));
  expect(said()).toBeUndefined();

  const changed = { title: "Call", description: "Call her: 555.\n- [ ] ask" };
  rerender(dialogOf(store, changed));
  expect(said()).toBe("Changed elsewhere meanwhile: Description. Saving replaces that.");
  unmount();
  render(dialogOf(store, changed));
  expect(screen.getByLabelText<HTMLTextAreaElement>("Description").value).toBe("Call her. Soon.");
  expect(said()).toBe("Changed elsewhere meanwhile: Description. Saving replaces that.");

  await user.click(screen.getByRole("button", { name: "Discard changes" }));
  expect(screen.getByLabelText<HTMLTextAreaElement>("Description").value).toBe(changed.description);
  expect(said()).toBeUndefined();
});

test("a ticked box of a description that was changed elsewhere is stored with the rest", async () => {
  const store = keeping([]);
  const user = userEvent.setup();
  const { rerender } = render(dialogOf(store, { description: "- [ ] ask" }));
  await user.type(screen.getByLabelText("Description"), " her");
  rerender(dialogOf(store, { description: "- [ ] ask him" }));

  await user.click(screen.getByRole("checkbox", { name: "ask her" }));
  expect(store.calls("update")).toEqual([]);
  await user.click(screen.getByRole("button", { name: "Save" }));
  expect(store.calls("update")).toMatchObject([["tasks", "t1", { description: "- [x] ask her" }]]);
});

test("a field that is stored as it was edited is edited no more, whatever else is", async () => {
  const store = keeping([]);
  const user = userEvent.setup();
  const { rerender } = render(dialogOf(store, { title: "Call", description: "" }));
  await user.type(screen.getByLabelText("Title"), "!");
  await user.type(screen.getByLabelText("Description"), "Soon");

  rerender(dialogOf(store, { title: "Call", description: "Soon" }));
  rerender(dialogOf(store, { title: "Call", description: "Now" }));

  expect(screen.getByLabelText<HTMLTextAreaElement>("Description").value).toBe("Now");
  expect(screen.getByLabelText<HTMLInputElement>("Title").value).toBe("Call!");
  expect(screen.queryByText(/^Changed elsewhere/)).toBeNull();
});
