// @vitest-environment happy-dom
/** The hooks, as components use them. */
import { act, renderHook, waitFor } from "@testing-library/react";
import { StrictMode } from "react";
import { expect, test } from "vitest";
import type { ApprovalRequest, Turn, TurnEnd, TurnEvent, Verdict } from "../../src/index.js";
import { ApprovalQueue, useApprovals, useChat, useRows } from "../../src/react/index.js";
import { CONNECTIONS, openTables } from "./bench.js";

/** A turn that the test writes. */
class WrittenTurn implements Turn {
  text = "";
  readonly lastSeq = 0;
  isOver = false;
  isCancelled = false;
  readonly #events: TurnEvent[] = [];
  #wake: () => void = () => undefined;
  #outcome: TurnEnd | Error | undefined;

  constructor(
    readonly requestId: string,
    readonly request: object,
  ) {}

  write(text: string): void {
    this.text += text;
    this.#events.push({ type: "text", text } as TurnEvent);
    this.#wake();
  }

  end(outcome: TurnEnd | Error): void {
    this.#outcome = outcome;
    this.isOver = true;
    this.#wake();
  }

  cancel(): void {
    this.isCancelled = true;
  }

  async done(): Promise<TurnEnd> {
    if (this.#outcome instanceof Error || this.#outcome === undefined) {
      throw this.#outcome;
    }
    return this.#outcome;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<TurnEvent, void, void> {
    for (let read = 0; ; ) {
      const event = this.#events[read];
      if (event !== undefined) {
        read += 1;
        yield event;
      } else if (this.#outcome instanceof Error) {
        throw this.#outcome;
      } else if (this.#outcome !== undefined) {
        return;
      } else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }
}

const END = { finishReason: "done", mutations: [] } as unknown as TurnEnd;

function asking() {
  const turns: WrittenTurn[] = [];
  const home = (request: object) => {
    const turn = new WrittenTurn(`r${turns.length + 1}`, request);
    turns.push(turn);
    return turn;
  };
  return { turns, client: { home } };
}

test("an answer is shown while it is written, and the next question has it as its history", async () => {
  const { turns, client } = asking();
  const { result } = renderHook(() => useChat(client));
  act(() => result.current.ask("How many?"));
  expect(result.current.isBusy).toBe(true);

  act(() => turns[0]?.write("One"));
  await waitFor(() => expect(result.current.exchanges[0]?.answer.text).toBe("One"));
  act(() => {
    turns[0]?.write(" task.");
    turns[0]?.end(END);
  });
  await waitFor(() => expect(result.current.isBusy).toBe(false));
  expect(result.current.exchanges).toMatchObject([
    { requestId: "r1", message: "How many?", answer: { text: "One task.", end: END, error: undefined } },
  ]);

  act(() => result.current.ask("Which?", { session_id: "s" }));
  expect(turns[1]?.request).toEqual({
    message: "Which?",
    session_id: "s",
    conversation_history: [
      { role: "user", content: "How many?" },
      { role: "assistant", content: "One task." },
    ],
  });
});

test("of a long conversation the latest exchanges go with a question", async () => {
  const { turns, client } = asking();
  const { result } = renderHook(() => useChat(client));
  const exchange = async (message: string, text: string) => {
    act(() => result.current.ask(message));
    await act(async () => {
      turns.at(-1)?.write(text);
      turns.at(-1)?.end(END);
    });
  };
  const messages = () =>
    turns
      .map(({ request }) => (request as { conversation_history: { content: string }[] }).conversation_history)
      .at(-1);

  for (let count = 0; count < 22; count += 1) {
    await exchange(`Question ${count}`, "Yes.");
  }
  expect(messages()).toHaveLength(40);
  expect(messages()?.[0]?.content).toBe("Question 1");

  await exchange("A long one", "word ".repeat(12_000));
  await exchange("And?", "No.");
  expect(messages()).toEqual([]);
  await exchange("Why?", "So.");
  expect(messages()?.map(({ content }) => content)).toEqual(["And?", "No."]);
});

test("a question that is asked while clearing begins anew", async () => {
  const { turns, client } = asking();
  const { result } = renderHook(() => useChat(client));
  act(() => result.current.ask("Alice's salary?"));
  await act(async () => {
    turns[0]?.write("A lot.");
    turns[0]?.end(END);
  });

  act(() => {
    result.current.clear();
    result.current.ask("Hello");
  });

  expect(turns[1]?.request).toEqual({ conversation_history: [], message: "Hello" });
  expect(result.current.exchanges).toMatchObject([{ message: "Hello" }]);
});

test("a failure keeps the text so far, and an answer is stopped on request and with its component", async () => {
  const { turns, client } = asking();
  const { result, unmount } = renderHook(() => useChat(client));
  act(() => result.current.ask("a"));
  act(() => {
    turns[0]?.write("Well");
    turns[0]?.end(new Error("It broke off."));
  });
  await waitFor(() => expect(result.current.exchanges[0]?.answer.error?.message).toBe("It broke off."));
  expect(result.current.exchanges[0]?.answer.text).toBe("Well");

  act(() => result.current.ask("b"));
  act(() => result.current.stop());
  expect(turns[1]?.isCancelled).toBe(true);

  act(() => result.current.ask("c"));
  unmount();
  expect(turns.map(({ isCancelled }) => isCancelled)).toEqual([false, true, true]);
});

test("of several answers that are being written none is forgotten", async () => {
  const { turns, client } = asking();
  const { result, unmount } = renderHook(() => useChat(client), { wrapper: StrictMode });
  act(() => {
    result.current.ask("a");
    result.current.ask("b");
  });
  await act(async () => turns[1]?.end(END));
  await waitFor(() => expect(result.current.exchanges[1]?.answer.end).toBe(END));
  expect(result.current.isBusy).toBe(true);

  unmount();
  expect(turns.map(({ isCancelled }) => isCancelled)).toEqual([true, false]);
});

test("rows are read again after each change of their table", async () => {
  const tables = await openTables(await (CONNECTIONS["better-sqlite3"] as () => Promise<never>)());
  const { result } = renderHook(() => useRows(tables, "tasks", { orderBy: "title" }));
  await waitFor(() => expect(result.current.rows).toEqual([]));

  await act(async () => {
    await tables.insert("tasks", { title: "Water the roses" });
    await tables.insert("tasks", { title: "Buy milk" });
    await tables.insert("notes", { title: "A note", content: "x" });
  });

  await waitFor(() => expect(result.current.rows?.map(({ title }) => title)).toEqual(["Buy milk", "Water the roses"]));
});

test("rows of another table, or of other tables, are never given as those that are wanted", async () => {
  const open = CONNECTIONS["better-sqlite3"] as () => Promise<never>;
  const [mine, others] = [await openTables(await open()), await openTables(await open())];
  await mine.insert("tasks", { title: "Roof" });
  const seen: unknown[] = [];
  const { result, rerender } = renderHook(
    ({ tables, table }: { tables: typeof mine; table: "tasks" | "notes" }) => {
      const rows = useRows<"tasks" | "notes">(tables, table);
      seen.push([table, tables === mine, rows.rows?.length]);
      return rows;
    },
    { initialProps: { tables: mine, table: "tasks" as "tasks" | "notes" } },
  );
  await waitFor(() => expect(result.current.rows).toHaveLength(1));

  rerender({ tables: mine, table: "notes" });
  await waitFor(() => expect(result.current.rows).toEqual([]));
  rerender({ tables: mine, table: "tasks" });
  await waitFor(() => expect(result.current.rows).toHaveLength(1));
  rerender({ tables: others, table: "tasks" });
  await waitFor(() => expect(result.current.rows).toEqual([]));

  expect(seen).not.toContainEqual(["notes", true, 1]);
  expect(seen).not.toContainEqual(["tasks", false, 1]);
});

test("questions wait until they are answered, dismissed or no longer needed", async () => {
  const queue = new ApprovalQueue();
  const { result } = renderHook(() => useApprovals(queue));
  const gone = new AbortController();
  const verdicts: Promise<Verdict | null>[] = [];
  const asked = (id: string, signal = new AbortController().signal) =>
    verdicts.push(queue.approve({ id, summary: id } as unknown as ApprovalRequest, signal));
  act(() => {
    asked("first");
    asked("second");
    asked("third", gone.signal);
  });
  expect(result.current.map(({ request }) => request.id)).toEqual(["first", "second", "third"]);

  act(() => {
    result.current[0]?.answer({ approved: true });
    result.current[1]?.dismiss();
    gone.abort();
  });

  expect(result.current).toEqual([]);
  expect(await Promise.all(verdicts)).toEqual([{ approved: true }, null, null]);
});
