/** What goes on after the user has left, written on or pressed twice meanwhile: nothing is lost, and no one is moved. */
import { EditorView } from "@codemirror/view";
import { act, fireEvent, render, renderHook, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ReactNode } from "react";
import { afterEach, expect, test, vi } from "vitest";
import { navigate } from "wouter/use-browser-location";
import { ChatSurface } from "../src/chat/ChatSurface";
import { ContextualChatProvider } from "../src/chat/ContextualChatProvider";
import { ContextualSidebar } from "../src/chat/ContextualSidebar";
import { useChatStream } from "../src/chat/useChatStream";
import { MarkdownEditor } from "../src/editor/MarkdownEditor";
import { NotePage } from "../src/pages/NotePage";
import { CoreFacts } from "../src/pages/settings/CoreFacts";
import { TaskDialog } from "../src/pages/TaskDialog";
import { useTaskView } from "../src/pages/TasksPage";
import { useKeptNote } from "../src/pages/useKeptNote";
import { CommandPalette } from "../src/palette/CommandPalette";
import { ConfirmButton } from "../src/parts/ConfirmButton";
import { HeadingInput } from "../src/parts/HeadingInput";
import { RpcProvider } from "../src/rpc/RpcProvider";
import { useTaskActions } from "../src/tasks/useTaskActions";
import { task } from "./rows";
import { message, ONLINE, ScriptedStore } from "./rpc";

afterEach(() => {
  vi.useRealTimers();
  navigate("/", { replace: true });
});

const EMPTY = { select: () => [], openChat: () => null, listChats: () => [], search: () => [], get: () => null };

/** An answer that comes when the test says so. */
function late<T>(value: T) {
  let give: () => void = () => undefined;
  const answer = new Promise<T>((resolve) => {
    give = () => resolve(value);
  });
  return {
    answer,
    /** Also lets it arrive. */
    give: () =>
      act(async () => {
        give();
        await answer;
        await new Promise((resume) => setTimeout(resume));
      }),
  };
}

function around(store: ScriptedStore, content: ReactNode) {
  return (
    <RpcProvider rpc={store.rpc}>
      <ContextualChatProvider>{content}</ContextualChatProvider>
    </RpcProvider>
  );
}

function inside(store: ScriptedStore) {
  return { wrapper: ({ children }: { children: ReactNode }) => around(store, children) };
}

function calledOnce<T>(found: readonly T[]): T {
  expect(found).toHaveLength(1);
  return found[0] as T;
}

// Headings

test("a heading that is being written stays when its stored value changes", async () => {
  const user = userEvent.setup();
  const saved: string[] = [];
  const heading = (value: string) => (
    <HeadingInput label="Title" value={value} onSave={(given) => void saved.push(given)} />
  );
  const { rerender } = render(heading("New note"));
  const input = screen.getByRole<HTMLInputElement>("textbox");
  await user.clear(input);
  await user.type(input, "Roof");

  rerender(heading("First line"));

  expect(input.value).toBe("Roof");
  await user.tab();
  expect(saved).toEqual(["Roof"]);
  rerender(heading("Roof"));
  rerender(heading("From elsewhere"));
  expect(input.value).toBe("From elsewhere");
});

test("a heading that is being written is saved when its page is left, once", async () => {
  const user = userEvent.setup();
  const saved: string[] = [];
  const { unmount } = render(<HeadingInput label="Title" value="A" onSave={(given) => void saved.push(given)} />);
  await user.type(screen.getByRole("textbox"), "B");
  await user.tab();
  expect(saved).toEqual(["AB"]);
  await user.type(screen.getByRole("textbox"), "C");

  dispatchEvent(new Event("pagehide"));
  unmount();

  expect(saved).toEqual(["AB", "ABC"]);
});

// Notes

test("what is written while a new note is made is found again", () => {
  vi.useFakeTimers();
  const kept = (stored: string) => useKeptNote("a", stored, async () => null);
  const { result, unmount } = renderHook(() => kept(""));
  act(() => result.current.write("milk"));
  act(() => result.current.write("milk, bread"));
  unmount();

  const { result: again } = renderHook(() => kept("milk"));

  expect(again.current.text).toBe("milk, bread");
});

test("a new note that was saved as its page was left is not made twice", async () => {
  localStorage.setItem("unsaved.note.a", JSON.stringify({ base: "", text: "milk" }));
  const row = { id: "a", title: "milk", content: "milk", projectId: null, createdAt: 0, updatedAt: 0 };
  const store = new ScriptedStore({
    ...EMPTY,
    get: () => row,
    saveNote: () => ({ content: "milk", isConflict: false }),
  });
  render(around(store, <NotePage id="new.a" />));

  await waitFor(() => expect(location.pathname).toBe("/notes/a"));
  await waitFor(() => expect(store.calls("saveNote")).toEqual([["a", "", "milk"]]));
  expect(store.calls("insert")).toEqual([]);
  expect(localStorage.getItem("unsaved.note.a")).toBeNull();
});

test("the title of a new note is cut between characters, not within one", async () => {
  const line = `${"x".repeat(79)}🎉 and more`;
  localStorage.setItem("unsaved.note.a", JSON.stringify({ base: "", text: line }));
  const store = new ScriptedStore({ ...EMPTY, insert: () => undefined, saveNote: () => null });
  render(around(store, <NotePage id="new.a" />));

  await waitFor(() =>
    expect(store.calls("insert").map(([, row]) => (row as { title: string }).title)).toEqual([`${"x".repeat(79)}🎉`]),
  );
});

test("a new note that is opened again while it is being saved is not made twice", async () => {
  localStorage.setItem("unsaved.note.a", JSON.stringify({ base: "", text: "milk, bread" }));
  let row: object | null = null;
  const store = new ScriptedStore({
    ...EMPTY,
    get: () => row,
    insert: (_table: string, _given: object, id: string) => {
      row = { id, title: "milk", content: "milk", projectId: null, createdAt: 0, updatedAt: 0 };
      throw new Error("UNIQUE constraint failed: notes.id");
    },
    saveNote: () => ({ content: "milk, bread", isConflict: false }),
  });
  render(around(store, <NotePage id="new.a" />));

  await waitFor(() => expect(store.calls("saveNote")).toEqual([["a", "", "milk, bread"]]));
  expect(screen.queryByRole("alert")).toBeNull();
});

test("a note that could not be made is made by what is written next", async () => {
  let isFull = true;
  let row: object | null = null;
  const store: ScriptedStore = new ScriptedStore({
    ...EMPTY,
    get: () => row,
    insert: (_table: string, given: object, id: string) => {
      if (isFull) {
        throw new Error("The disk is full.");
      }
      row = { id, content: "", projectId: null, createdAt: 0, updatedAt: 0, ...given };
      store.tell({ type: "change", changes: [{ action: "insert", table: "notes", id }] });
      return row;
    },
  });
  render(around(store, <NotePage id="new.a" />));
  const user = userEvent.setup();
  const title = await screen.findByLabelText("Title of the note");
  await user.type(title, "!{Enter}");
  expect((await screen.findByRole("alert")).textContent).toBe("The disk is full.");

  isFull = false;
  await user.type(title, "!{Enter}");

  await waitFor(() => expect(location.pathname).toBe("/notes/a"));
  expect(store.calls("insert").map(([, row]) => (row as { title: string }).title)).toEqual(["New note!", "New note!!"]);
});

test("a note that is deleted after its page was left brings no one back", async () => {
  const removed = late(true);
  const note = { id: "n1", title: "Roof", content: "", projectId: null, createdAt: 0, updatedAt: 0 };
  const store = new ScriptedStore({ ...EMPTY, get: () => note, remove: () => removed.answer });
  const { unmount } = render(around(store, <NotePage id="n1" />));
  const user = userEvent.setup();
  await user.click(await screen.findByRole("button", { name: "Delete" }));
  await user.click(screen.getByRole("button", { name: "Yes, delete it" }));
  act(() => navigate("/timeline"));
  unmount();

  await removed.give();

  expect(location.pathname).toBe("/timeline");
});

function viewIn(container: HTMLElement): EditorView {
  const root = container.querySelector("[data-editor]")?.shadowRoot;
  return EditorView.findFromDOM(root?.querySelector(".cm-content") as HTMLElement) as EditorView;
}

function editorWith(savePicture: () => Promise<string | null>) {
  const written: string[] = [];
  const shown = render(
    <MarkdownEditor
      label="Text"
      text="one two"
      revision={0}
      onChange={(text) => void written.push(text)}
      titles={() => []}
      savePicture={savePicture}
      open={() => undefined}
      picture={async () => null}
    />,
  );
  const view = viewIn(shown.container);
  view.dispatch({ selection: { anchor: 4 } });
  fireEvent.change(screen.getByLabelText("Picture"), { target: { files: [new File([""], "pond.png")] } });
  return { ...shown, view, written };
}

test("a picture comes where it was pasted, and takes nothing from what was selected meanwhile", async () => {
  const saved = late("p1.png");
  const { view } = editorWith(() => saved.answer);
  view.dispatch({ changes: { from: 0, insert: "zero " }, selection: { anchor: 0, head: 4 } });

  await saved.give();

  expect(view.state.doc.toString()).toBe("zero one ![pond](attachment:p1.png)\ntwo");
  expect(view.state.sliceDoc(view.state.selection.main.from, view.state.selection.main.to)).toBe("zero");
});

test("the cursor follows a picture, unless what was written meanwhile is behind it", async () => {
  const saved = late("p1.png");
  const { view } = editorWith(() => saved.answer);
  await saved.give();
  view.dispatch(view.state.replaceSelection("and "));
  expect(view.state.doc.toString()).toBe("one ![pond](attachment:p1.png)\nand two");
});

test("a picture that is stored after its note was left is in the note all the same", async () => {
  const saved = late("p1.png");
  const { unmount, written } = editorWith(() => saved.answer);
  unmount();

  await saved.give();

  expect(written).toEqual(["one ![pond](attachment:p1.png)\ntwo"]);
});

// Dialogs

test("what is done after the focus was moved elsewhere leaves it there", async () => {
  const done = late(true);
  const store = new ScriptedStore();
  render(
    <RpcProvider rpc={store.rpc}>
      <section>
        <ConfirmButton name="Forget" question="Forget it?" yes="Yes" act={() => done.answer} />
      </section>
      <input />
    </RpcProvider>,
  );
  const user = userEvent.setup();
  await user.click(screen.getByRole("button", { name: "Forget" }));
  await user.click(screen.getByRole("button", { name: "Yes" }));
  // It is being done: it cannot be kept any more.
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "Keep it" }).disabled).toBe(true);
  await user.type(screen.getByRole("textbox"), "a");

  await done.give();

  expect(screen.getByRole("button", { name: "Forget" })).toBeDefined();
  expect(document.activeElement).toBe(screen.getByRole("textbox"));
});

test("a task that is stored after its dialog was closed closes nothing else", async () => {
  const stored = late(null);
  const store = new ScriptedStore({ ...EMPTY, insert: () => stored.answer });
  const onClose = vi.fn();
  const { unmount } = render(around(store, <TaskDialog task={null} onClose={onClose} />));
  const title = screen.getByLabelText<HTMLInputElement>("Title");
  fireEvent.change(title, { target: { value: "Milk" } });
  fireEvent.submit(title.form as HTMLFormElement);
  await waitFor(() => expect(store.calls("insert")).toHaveLength(1));
  unmount();

  await stored.give();

  expect(onClose).not.toHaveBeenCalled();
  expect(sessionStorage.getItem("draft.task.new.")).toBeNull();
});

test("a comment that is begun while another one is stored stays", async () => {
  const stored = late(null);
  const store = new ScriptedStore({ ...EMPTY, insert: () => stored.answer });
  render(around(store, <TaskDialog task={task("t1")} onClose={() => undefined} />));
  const user = userEvent.setup();
  const input = screen.getByLabelText<HTMLTextAreaElement>("New comment");
  await user.type(input, "One");
  await user.click(screen.getByRole("button", { name: "Add comment" }));
  await user.type(input, "Two");

  await stored.give();

  expect(input.value).toBe("Two");
});

test("a comment that is not stored comes back before what has been begun", async () => {
  const store = new ScriptedStore({
    ...EMPTY,
    insert: () => {
      throw new Error("The disk is full.");
    },
  });
  render(around(store, <TaskDialog task={task("t1")} onClose={() => undefined} />));
  const input = screen.getByLabelText<HTMLTextAreaElement>("New comment");
  fireEvent.change(input, { target: { value: "One" } });
  fireEvent.submit(input.form as HTMLFormElement);
  fireEvent.change(input, { target: { value: "Two" } });

  await waitFor(() => expect(input.value).toBe("One\nTwo"));
});

test("Enter that is pressed twice adds one task", async () => {
  const added = late({ id: "t1", entry: "e1" });
  const store = new ScriptedStore({ ...EMPTY, addTask: () => added.answer });
  const onClose = vi.fn();
  render(
    around(
      store,
      <CommandPalette
        isQuickAdd
        typed={() => ({ text: "", isEntered: false })}
        onClose={onClose}
        onHelp={() => undefined}
      />,
    ),
  );
  const user = userEvent.setup();
  await user.type(screen.getByRole("combobox"), "Milk{Enter}{Enter}");

  await added.give();

  calledOnce(store.calls("addTask"));
  await waitFor(() => expect(onClose).toHaveBeenCalledOnce());
});

// Chats

function chat(store: ScriptedStore) {
  return renderHook(() => useChatStream("home"), inside(store)).result;
}

test("a question that is asked brings no one back from a chat that was begun meanwhile", async () => {
  const asked = late("s1");
  const store = new ScriptedStore({
    ...EMPTY,
    ask: () => asked.answer,
    openChat: () => ({ messages: [], total: 0, live: [] }),
  });
  const stream = chat(store);
  act(() => void stream.current.send("When?"));
  act(() => stream.current.newChat());

  await asked.give();

  expect(stream.current.sessionId).toBeNull();
  expect(localStorage.getItem("chat.home.lastSessionId")).toBeNull();
});

test("a question while another one is being asked is refused, not lost", async () => {
  const asked = late("s1");
  const store = new ScriptedStore({ ...EMPTY, ask: () => asked.answer });
  const stream = chat(store);
  act(() => void stream.current.send("When?"));

  await expect(stream.current.send("Where?")).rejects.toThrow();

  expect(stream.current.problem).toBe("");
  await asked.give();
  calledOnce(store.calls("ask"));
});

test("asking in a long chat leaves the latest messages, and the others can be loaded again", async () => {
  const said = (count: number) =>
    Array.from({ length: count }, (_, number) =>
      message({ id: `m${number}`, role: "user", content: `Number ${number}` }),
    );
  const all = said(60);
  localStorage.setItem("chat.home.lastSessionId", "s1");
  const store = new ScriptedStore({
    ...EMPTY,
    ask: () => "s1",
    openChat: (_id: unknown, limit: unknown) => ({ messages: all.slice(-Number(limit)), total: 60, live: [] }),
  });
  const stream = chat(store);
  const shown = () => [stream.current.messages.length, stream.current.earlier];
  await waitFor(() => expect(shown()).toEqual([24, 36]));
  await act(() => stream.current.send("When?"));
  expect(shown()).toEqual([24, 36]);
  act(() => stream.current.readEarlier());
  await waitFor(() => expect(shown()).toEqual([48, 12]));

  await act(() => stream.current.send("Where?"));

  expect(shown()).toEqual([24, 36]);
  expect(stream.current.messages.at(-1)?.id).toBe("m59");
  act(() => stream.current.readEarlier());
  await waitFor(() => expect(shown()).toEqual([48, 12]));
});

test("a refused question comes back with its pictures, before what has been begun", async () => {
  const store = new ScriptedStore({ ...EMPTY, upload: () => "p1" });
  const models = [{ name: "m", default: true, images: true }] as unknown as typeof ONLINE.models;
  store.tell({ type: "snapshot", snapshot: { ...ONLINE, models } });
  await waitFor(() => expect(store.rpc.snapshot.models).toHaveLength(1));
  const sent: unknown[] = [];
  let refuse: () => void = () => undefined;
  const onSend = (...asked: unknown[]) => {
    sent.push(asked);
    return new Promise<void>((_resolve, reject) => {
      refuse = () => reject(new Error("The disk is full."));
    });
  };
  render(
    around(
      store,
      <ChatSurface
        variant="home"
        sessionId={null}
        messages={[]}
        isStreaming={false}
        onSend={onSend}
        onStop={() => undefined}
      />,
    ),
  );
  const user = userEvent.setup();
  const input = screen.getByLabelText<HTMLTextAreaElement>("Message to Adiuva");
  fireEvent.paste(input, { clipboardData: { files: [new File([""], "pond.png", { type: "image/png" })] } });
  await user.type(input, "What is this?");
  await waitFor(() => expect(screen.getByRole<HTMLButtonElement>("button", { name: "Send" }).disabled).toBe(false));
  await user.type(input, "{Enter}");
  await user.type(input, "And");
  await act(async () => refuse());
  expect(input.value).toBe("What is this?\nAnd");

  await user.type(input, "{Enter}");

  const pictures = [{ id: "p1", name: "pond.png" }];
  expect(sent).toEqual([
    ["What is this?", { pictures }],
    ["What is this?\nAnd", { pictures }],
  ]);
});

test("beside a page, a question in other words takes the place of the first, and stays if it is refused", async () => {
  sessionStorage.setItem("chat.contextual.open", "true");
  localStorage.setItem("chat.contextual.lastSessionId", "s1");
  let isFull = true;
  const store = new ScriptedStore({
    ...EMPTY,
    openChat: () => ({ messages: [message({ id: "m1", role: "user", content: "When?" })], total: 1, live: [] }),
    ask: () => {
      if (isFull) {
        throw new Error("The disk is full.");
      }
      return "s1";
    },
  });
  render(around(store, <ContextualSidebar />));
  const user = userEvent.setup();
  await user.click(await screen.findByRole("button", { name: "Ask in other words" }));
  const input = screen.getByLabelText<HTMLTextAreaElement>("The question in other words");
  await user.type(input, " Exactly?{Enter}");
  await screen.findByText("The disk is full.");
  expect(input.value).toBe("When? Exactly?");

  isFull = false;
  await user.type(input, "{Enter}");

  await waitFor(() => expect(store.calls("ask")).toHaveLength(2));
  expect(store.calls("ask").at(-1)).toMatchObject([{ message: "When? Exactly?", again: "m1" }]);
});

// Tasks

test("a task that is ticked twice before it is read again is as it was", async () => {
  const store = new ScriptedStore({ ...EMPTY, tick: () => true });
  const { result } = renderHook(() => useTaskActions({ current: [] }), inside(store));
  const milk = task("milk");
  await act(async () => {
    await Promise.all([result.current.row.tick(milk), result.current.row.tick(milk)]);
  });
  expect(store.calls("tick")).toEqual([
    ["milk", true],
    ["milk", false],
  ]);
});

test("what is selected while others are deleted stays selected", async () => {
  const deleted = late("e1");
  const store = new ScriptedStore({ ...EMPTY, changeMany: () => deleted.answer });
  const order = { current: [] };
  const { result } = renderHook(() => useTaskActions(order), inside(store));
  const milk = task("milk");
  act(() => result.current.setSelected(["milk"]));
  act(() => result.current.change([milk], null));
  act(() => result.current.row.select("bread", false));

  await deleted.give();

  expect([...result.current.selected]).toEqual(["bread"]);
});

test("a search that was just typed does not bring back the view before", () => {
  vi.useFakeTimers();
  const store = new ScriptedStore(EMPTY);
  navigate("/tasks");
  const { result } = renderHook(useTaskView, inside(store));
  act(() => result.current.setSearch("milk"));
  act(() => result.current.change({ status: "done" }));
  const chosen = location.search;
  act(() => vi.advanceTimersByTime(5_000));
  expect(location.search).toBe(chosen);

  act(() => result.current.setSearch("milk and"));
  act(() => navigate("/tasks?priority=high"));
  act(() => vi.advanceTimersByTime(5_000));
  expect([location.search, result.current.search]).toEqual(["?priority=high", ""]);
});

// Settings

test("facts that are forgotten at the same time are both gone, and what is written meanwhile stays", async () => {
  const [forgotten, kept] = [late(null), late({ status: 200, body: { id: "f3", key: "a", value: "b" } })];
  const facts = ["f1", "f2"].map((id) => ({ id, key: id, value: id, unreadable: false }));
  const store = new ScriptedStore({
    rest: (method: string) => (method === "GET" ? { status: 200, body: { results: facts, next: null } } : kept.answer),
    forgetMemory: () => forgotten.answer,
  });
  store.tell({ type: "snapshot", snapshot: ONLINE });
  render(
    <RpcProvider rpc={store.rpc}>
      <CoreFacts />
    </RpcProvider>,
  );
  const user = userEvent.setup();
  await screen.findAllByText("f1");
  for (const id of ["f1", "f2"]) {
    await user.click(screen.getByRole("button", { name: `Forget ${id}` }));
  }
  for (const yes of screen.getAllByRole("button", { name: "Yes, forget it" })) {
    await user.click(yes);
  }
  await forgotten.give();
  await waitFor(() => expect(screen.queryAllByRole("listitem")).toEqual([]));

  const value = screen.getByLabelText<HTMLInputElement>("What to remember");
  await user.type(screen.getByLabelText("What about"), "a");
  await user.type(value, "b{Enter}");
  await user.type(value, "c");
  await kept.give();
  expect(within(await screen.findByRole("listitem")).getByText("b")).toBeDefined();
  expect(value.value).toBe("bc");
});
