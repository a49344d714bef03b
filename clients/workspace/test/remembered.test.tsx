/** What was remembered for an answer: how it is shown under it, and what is left when it is forgotten. */
import type { TurnEvent } from "@adiuva/client";
import { AiChat, Database, type SqliteWasm, sqliteWasm } from "@adiuva/client/database";
import sqlite3InitModule from "@sqlite.org/sqlite-wasm";
import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { Message } from "../src/chat/Message";
import { begun, grown, type Outcome } from "../src/chat/parts";
import { reasonShown } from "../src/chat/reasons";
import { type Edit, forgotten, type Remembered, withoutForgotten } from "../src/chat/remembered";
import { RpcProvider } from "../src/rpc/RpcProvider";
import { reviseAnswers } from "../src/store/remembered";
import { message, ScriptedStore } from "./rpc";

const TEA: Remembered = {
  id: "c1",
  kind: "preference",
  text: "hot tea: Assam",
  why: ["always"],
  said_at: null,
  said_in: null,
};
const ROOF: Remembered = {
  id: "e1",
  kind: "exchange",
  text: "2026-03-29: The roof leaks. → Noted.",
  why: ["words", "date", "of a later version"],
  said_at: new Date(2026, 2, 29, 10).getTime(),
  said_in: "e1",
};
const LEAK: Remembered = { ...ROOF, id: "f1", kind: "fact", text: "The roof leaks." };
const DONE: Outcome = { requestId: "r1", finishReason: "done", mutations: [] };

function shown(remembered?: readonly Remembered[]) {
  const store = new ScriptedStore();
  const answer = (items?: readonly Remembered[]) => (
    <RpcProvider rpc={store.rpc}>
      <ul>
        <Message
          message={message({
            id: "m1",
            role: "assistant",
            content: "Yes.",
            toolCalls: [items === undefined ? DONE : { ...DONE, remembered: items }],
          })}
        />
      </ul>
    </RpcProvider>
  );
  const { rerender } = render(answer(remembered));
  return { store, user: userEvent.setup(), again: (items: readonly Remembered[]) => rerender(answer(items)) };
}

test("what was remembered is shown on request, with when it was said and why", async () => {
  const { user } = shown([TEA, ROOF]);
  const button = screen.getByRole("button", { name: "Remembered 2 things" });
  expect(screen.queryByText(/The roof leaks/)).toBeNull();

  await user.click(button);

  const items = screen.getByRole("list", { name: "Remembered" }).children;
  expect(items[0]?.textContent).toContain("hot tea: AssamIncluded in every answer.");
  expect(items[1]?.textContent).toMatch(
    /^The roof leaks\. → Noted\.Said on 29 Mar.*, 10:00\. Found because of the words and the date\./,
  );
  await user.click(button);
  expect(screen.queryByRole("list", { name: "Remembered" })).toBeNull();
});

test("an answer without anything remembered says nothing of it", () => {
  shown();

  expect(screen.queryByRole("button", { name: /Remembered/ })).toBeNull();
});

test("the value of a preference is corrected, not its key", async () => {
  const { store, user } = shown([TEA]);
  await user.click(screen.getByRole("button", { name: "Remembered 1 thing" }));

  await user.click(screen.getByRole("button", { name: "Correct hot tea" }));
  const field = screen.getByRole<HTMLTextAreaElement>("textbox", { name: "hot tea" });
  expect(field.value).toBe("Assam");
  await user.clear(field);
  await user.type(field, " Darjeeling ");
  await user.click(screen.getByRole("button", { name: "Save" }));

  await waitFor(() => expect(screen.queryByRole("textbox")).toBeNull());
  expect(store.calls("correctMemory")).toEqual([[{ id: "c1", kind: "preference" }, "Darjeeling"]]);
});

test("a correction can be given up", async () => {
  const { store, user } = shown([TEA]);
  await user.click(screen.getByRole("button", { name: "Remembered 1 thing" }));
  const correct = () => screen.getByRole("button", { name: "Correct hot tea" });

  await user.click(correct());
  await user.keyboard("x{Escape}");
  expect(document.activeElement).toBe(correct());
  await user.click(correct());
  await user.click(screen.getByRole("button", { name: "Save" }));

  expect(store.calls("correctMemory")).toEqual([]);
});

test("what is forgotten is forgotten after a confirmation, and gone from the answer", async () => {
  const { store, user, again } = shown([TEA, ROOF]);
  await user.click(screen.getByRole("button", { name: "Remembered 2 things" }));

  await user.click(screen.getByRole("button", { name: /^Forget “The roof/ }));
  await user.click(screen.getByRole("button", { name: "Yes, forget it" }));

  expect(await screen.findByText("Forgotten.")).toBeDefined();
  expect(store.calls("forgetMemory")).toEqual([[{ id: "e1", kind: "exchange", said_in: "e1" }]]);
  expect(screen.queryByText(/The roof leaks/)).toBeNull();
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole("list", { name: "Remembered" })));
  again(withoutForgotten([TEA, ROOF], { id: "e1", kind: "exchange" }));
  expect(screen.getAllByText("Forgotten.").length).toBe(1);
});

test("a long text is named by its beginning", async () => {
  const { user } = shown([{ ...LEAK, text: "x".repeat(200) }]);
  await user.click(screen.getByRole("button", { name: "Remembered 1 thing" }));

  expect(screen.getByRole("button", { name: `Forget “${"x".repeat(79)}…”` })).toBeDefined();
});

test("reasons are sentences, and unknown ones are left out", () => {
  expect(reasonShown({ ...LEAK, said_at: null, why: ["meaning", "neighbours", "words"] })).toBe(
    "Found because of the meaning, what was said around it and the words.",
  );
  expect(reasonShown({ ...LEAK, said_at: null, why: ["latest", "new"] })).toBe("Included because it is recent.");
  expect(reasonShown({ ...LEAK, said_at: null, why: [], since: "corrected" })).toBe("You have corrected it since.");
});

test("a fact takes the exchange that it is from along, but not what else was found of it", () => {
  const other: Remembered = { ...LEAK, id: "f2", text: "The cellar is wet." };

  expect(withoutForgotten([ROOF, LEAK, other], LEAK)).toEqual([forgotten(ROOF), forgotten(LEAK), other]);
  expect(withoutForgotten([ROOF, LEAK], { id: "f1", kind: "habit" })).toEqual([ROOF, LEAK]);
});

test("an answer in progress keeps what was remembered for it", () => {
  const event: TurnEvent = { type: "remembered", items: [TEA] };

  const live = grown(grown(begun("r1", "s1"), event), { type: "text", text: "Yes." });

  expect([live.remembered, live.count]).toEqual([[TEA], 2]);
});

test("stored answers keep nothing of what is forgotten, and show what was corrected", async () => {
  const sqlite3 = await sqlite3InitModule();
  const database = await Database.open(sqliteWasm(new sqlite3.oo1.DB(":memory:") as unknown as SqliteWasm));
  const chat = new AiChat(database);
  const { id } = await chat.createSession("home");
  const job = { role: "assistant", content: "A job’s." } as const;
  await chat.appendMessage(id, { ...job, toolCalls: [{ ...DONE, remembered: [TEA, ROOF, LEAK] }] });
  await chat.appendMessage(id, { ...job, toolCalls: [DONE] });
  await chat.appendMessage(id, job);
  const stored = async () => (await chat.getSession(id))?.messages.map(({ toolCalls }) => toolCalls);

  const forget = (id: string): Edit => ({ type: "forgotten", item: { id, kind: "exchange" } });
  const correct: Edit = { type: "corrected", item: { id: "c1", kind: "preference" }, text: "Darjeeling" };
  expect(await reviseAnswers(database, correct)).toBe(true);
  expect(await reviseAnswers(database, forget("e1"))).toBe(true);
  expect(await reviseAnswers(database, forget("e9"))).toBe(false);

  const tea = { ...TEA, text: "hot tea: Darjeeling", since: "corrected" };
  expect(await stored()).toEqual([[{ ...DONE, remembered: [tea, forgotten(ROOF), forgotten(LEAK)] }], [DONE], null]);
  expect(await reviseAnswers(database, { type: "forgotten" })).toBe(true);
  expect(JSON.stringify(await stored())).not.toContain("Darjeeling");
});
