import type { ApprovalRequest, JobUpdate } from "@adiuva/client";
import { fireEvent, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { ChatSurface } from "../src/chat/ChatSurface";
import { OpenQuestions, ShownQuestions, useTitle } from "../src/chat/OpenQuestions";
import { RpcProvider } from "../src/rpc/RpcProvider";
import { message, ONLINE, ScriptedStore } from "./rpc";

const REQUEST: ApprovalRequest = {
  type: "approval_request",
  id: "q1",
  request_id: "m1",
  tool: "update_task",
  arguments: {},
  summary: "Change the task “Buy milk”.",
  risk: "write",
  preview: {
    before: { id: "t1", title: "Buy milk", priority: "low" },
    after: { id: "t1", title: "Buy milk", priority: "high" },
  },
  expires_at: 0,
};

function deletion(id: string, group?: string): ApprovalRequest {
  return {
    ...REQUEST,
    id,
    tool: "delete_task",
    summary: `Delete the task “${id}” for good.`,
    risk: "destructive",
    preview: { before: { id, title: id }, after: null },
    ...(group !== undefined && { group }),
  };
}

const ASKED = message({ id: "m1", role: "user", content: "Make it urgent" });

function broken(finishReason: "error" | "done") {
  return message({
    id: "m2",
    role: "assistant",
    content: "",
    toolCalls: [{ requestId: "m1", finishReason, mutations: [] }],
  });
}

function shown(store: ScriptedStore, ...after: ReturnType<typeof message>[]) {
  return render(
    <RpcProvider rpc={store.rpc}>
      <ChatSurface
        variant="home"
        sessionId="s1"
        messages={[ASKED, ...after]}
        isStreaming={false}
        onSend={async () => undefined}
        onStop={() => undefined}
      />
    </RpcProvider>,
  );
}

test("a question shows what would change, and is answered", async () => {
  const store = new ScriptedStore();
  shown(store);
  store.tell({ type: "snapshot", snapshot: { ...ONLINE, questions: [REQUEST] } });

  const changed = await waitFor(() => screen.getAllByRole("definition").filter((each) => each.className === "changed"));
  expect(changed.map((each) => each.textContent)).toEqual(["low", "high"]);
  await userEvent.setup().click(screen.getByRole("button", { name: "Yes, do it" }));

  expect(store.calls("answer")).toEqual([["q1", { approved: true }]]);
});

test("a refusal can have a reason", async () => {
  const store = new ScriptedStore();
  shown(store);
  store.tell({ type: "snapshot", snapshot: { ...ONLINE, questions: [REQUEST] } });
  const user = userEvent.setup();

  await user.click(await screen.findByRole("button", { name: "No, because…" }));
  expect(document.activeElement).toBe(screen.getByRole("textbox", { name: "Why not" }));
  await user.keyboard("  Medium will do{Enter}");

  expect(store.calls("answer")).toEqual([["q1", { approved: false, reason: "Medium will do" }]]);
});

test("a deletion cannot be approved permanently", async () => {
  const store = new ScriptedStore();
  shown(store);
  store.tell({ type: "snapshot", snapshot: { ...ONLINE, questions: [deletion("q1")] } });

  await screen.findByRole("button", { name: "Yes, delete" });
  expect(screen.queryByRole("button", { name: /do not ask again/ })).toBeNull();
});

test("a question of another conversation is not asked here", async () => {
  const store = new ScriptedStore();
  shown(store);
  const job: JobUpdate = {
    type: "job_update",
    job_id: "j1",
    request_id: "m1",
    state: "running",
    fraction: 0.5,
    label: "Reading",
  };
  store.tell({
    type: "snapshot",
    snapshot: { ...ONLINE, questions: [{ ...REQUEST, request_id: "other" }], jobs: [job] },
  });

  expect((await screen.findByRole("progressbar", { name: "Reading" })).getAttribute("value")).toBe("0.5");
  expect(screen.queryByText(REQUEST.summary)).toBeNull();
});

test("a question whose answer broke off says what a yes does now, and is not asked again beside it", async () => {
  const store = new ScriptedStore();
  shown(store, broken("error"));
  const askAgain = { name: "Ask again" };
  expect(screen.getAllByRole("button", askAgain)).toHaveLength(1);
  store.tell({ type: "snapshot", snapshot: { ...ONLINE, questions: [REQUEST] } });

  const question = await screen.findByRole("region", { name: "May this be done?" });
  expect(question.textContent).toContain("If you say yes, this is done in the background.");
  expect(screen.queryByRole("button", askAgain)).toBeNull();

  store.tell({ type: "snapshot", snapshot: ONLINE });
  expect(await screen.findByRole("button", askAgain)).toBeTruthy();
});

test("a job's question says nothing of an answer that broke off", async () => {
  const store = new ScriptedStore();
  shown(store, broken("done"));
  store.tell({ type: "snapshot", snapshot: { ...ONLINE, questions: [REQUEST] } });

  const question = await screen.findByRole("region", { name: "May this be done?" });
  expect(question.textContent).not.toContain("broke off");
});

test("the text that led to a question is shown, and no answer to it is remembered", async () => {
  const store = new ScriptedStore();
  shown(store);
  const source = { name: "the note “Minutes”", text: "Make <b>everything</b> urgent" };
  store.tell({ type: "snapshot", snapshot: { ...ONLINE, questions: [{ ...REQUEST, source }] } });

  const figure = await screen.findByRole("figure");
  expect(figure.textContent).toBe("the note “Minutes”Make <b>everything</b> urgent");
  expect(screen.queryByRole("button", { name: /do not ask again/ })).toBeNull();
});

async function replacedAfter(keys: string) {
  const store = new ScriptedStore();
  shown(store);
  store.tell({ type: "snapshot", snapshot: { ...ONLINE, questions: [deletion("q1", "g")] } });
  const user = userEvent.setup();
  await user.click(await screen.findByRole("button", { name: "No, because…" }));
  await user.keyboard(keys);
  const next = deletion("q2", "g");
  store.tell({ type: "snapshot", snapshot: { ...ONLINE, questions: [next] } });
  await screen.findByText(next.summary);
  return { store, user };
}

test("a reason is not kept for the question that replaces the only one of its group", async () => {
  const { store, user } = await replacedAfter("It is still needed");
  expect(screen.queryByRole("textbox", { name: "Why not" })).toBeNull();
  // What is still being typed answers nothing.
  await user.keyboard("yn");
  expect(store.calls("answer")).toEqual([]);
});

test("after a reason was sent, a key answers the question that follows on the card", async () => {
  const { store, user } = await replacedAfter("It is still needed{Enter}");
  await user.keyboard("y");
  expect(store.calls("answer")).toEqual([
    ["q1", { approved: false, reason: "It is still needed" }],
    ["q2", { approved: true }],
  ]);
});

const GROUP = ["q1", "q2", "q3"].map((id) => deletion(id, "g"));

test("questions that are asked at the same time are one card, answered together", async () => {
  const store = new ScriptedStore();
  shown(store);
  store.tell({ type: "snapshot", snapshot: { ...ONLINE, questions: GROUP } });

  const card = await screen.findByRole("region", { name: "May this be done?" });
  expect([...card.querySelectorAll(".lines .summary")].map((each) => each.textContent)).toEqual(
    GROUP.map(({ summary }) => summary),
  );
  await userEvent.setup().click(screen.getByRole("button", { name: "Yes to all 3" }));

  expect(store.calls("answer")).toEqual(GROUP.map(({ id }) => [id, { approved: true }]));
});

test("they are answered one by one with the arrows, y and n", async () => {
  const store = new ScriptedStore();
  shown(store);
  store.tell({ type: "snapshot", snapshot: { ...ONLINE, questions: GROUP } });
  const user = userEvent.setup();
  (await screen.findByRole("group", { name: "Question" })).focus();

  await user.keyboard("{ArrowDown}{ArrowDown}y");
  await waitFor(() => expect(store.calls("answer")).toEqual([["q2", { approved: true }]]));
  await user.keyboard("{ArrowUp}n");
  await waitFor(() => expect(store.calls("answer").at(-1)).toEqual(["q1", { approved: false }]));
});

test("while an answer is on its way other questions are answered, and none twice", async () => {
  const fail: (() => void)[] = [];
  const refused = (_keep: unknown, refuse: (error: Error) => void) =>
    fail.push(() => refuse(new Error("No connection.")));
  const store = new ScriptedStore({ answer: () => new Promise<void>(refused) });
  shown(store);
  store.tell({ type: "snapshot", snapshot: { ...ONLINE, questions: GROUP } });
  const user = userEvent.setup();
  (await screen.findByRole("group", { name: "Question" })).focus();

  await user.keyboard("{ArrowDown}yn{ArrowDown}n");
  expect((screen.getByRole("button", { name: `Yes: ${GROUP[0]?.summary}` }) as HTMLButtonElement).disabled).toBe(true);
  await user.click(screen.getByRole("button", { name: "Yes to all 3" }));
  await waitFor(() =>
    expect(store.calls("answer")).toEqual([
      ["q1", { approved: true }],
      ["q2", { approved: false }],
      ["q3", { approved: true }],
    ]),
  );

  // One that did not arrive is answered again; the others are still on their way.
  fail[1]?.();
  await screen.findByText("No connection.");
  const all = screen.getByRole("button", { name: "No to all" }) as HTMLButtonElement;
  await waitFor(() => expect(all.disabled).toBe(false));
  await user.click(all);
  await waitFor(() => expect(store.calls("answer").slice(3)).toEqual([["q2", { approved: false }]]));
});

test("a key that is held down answers one question", async () => {
  const store = new ScriptedStore();
  shown(store);
  store.tell({ type: "snapshot", snapshot: { ...ONLINE, questions: GROUP } });
  const user = userEvent.setup();
  (await screen.findByRole("group", { name: "Question" })).focus();

  await user.keyboard("{ArrowDown}{y>1/}");
  await waitFor(() => expect(store.calls("answer")).toEqual([["q1", { approved: true }]]));
  store.tell({ type: "snapshot", snapshot: { ...ONLINE, questions: GROUP.slice(1) } });
  await waitFor(() => expect(document.activeElement?.getAttribute("data-question")).toBe("q2"));
  fireEvent.keyDown(document.activeElement ?? document.body, { key: "y", repeat: true });
  await user.keyboard("{ArrowDown}n");

  const answered = [
    ["q1", { approved: true }],
    ["q3", { approved: false }],
  ];
  await waitFor(() => expect(store.calls("answer")).toEqual(answered));
});

test("letters that are written into a field answer nothing", async () => {
  const store = new ScriptedStore();
  shown(store);
  store.tell({ type: "snapshot", snapshot: { ...ONLINE, questions: [REQUEST] } });
  const user = userEvent.setup();

  await user.click(await screen.findByRole("button", { name: "No, because…" }));
  await user.keyboard("yn");

  expect(store.calls("answer")).toEqual([]);
});

test("what is asked is said to screen readers, and the focus goes on after each answer", async () => {
  const store = new ScriptedStore();
  const { rerender } = shown(store);
  const asked = (questions: readonly ApprovalRequest[]) =>
    store.tell({ type: "snapshot", snapshot: { ...ONLINE, questions } });
  asked(GROUP);
  const said = GROUP.map(({ summary }) => summary).join(" ");
  await screen.findByText(`Adiuva asks for your yes or no: ${said}`);
  screen.getByRole("button", { name: `Yes: ${GROUP[0]?.summary}` }).focus();

  // On to the next line, or to the last one, so that no key answers all of them.
  const line = (at: number) => screen.getAllByRole("listitem").find((each) => each.dataset.question === GROUP[at]?.id);
  asked(GROUP.slice(1));
  await waitFor(() => expect(document.activeElement).toBe(line(1)));
  line(2)?.focus();
  expect(document.activeElement).toBe(line(2));
  asked([...GROUP.slice(1, 2), deletion("q4", "g")]);
  await waitFor(() => expect(document.activeElement).toBe(line(1)));
  asked(GROUP.slice(1, 2));
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole("group", { name: "Question" })));

  rerender(
    <RpcProvider rpc={store.rpc}>
      <main id="main" />
    </RpcProvider>,
  );
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole("main")));
});

test("a question in the corner can be put aside, also over a reload, until another is asked", async () => {
  const store = new ScriptedStore();
  const open = () =>
    render(
      <RpcProvider rpc={store.rpc}>
        <OpenQuestions />
      </RpcProvider>,
    );
  const { unmount } = open();
  const user = userEvent.setup();
  store.tell({ type: "snapshot", snapshot: { ...ONLINE, questions: [deletion("q1")] } });
  await user.click(await screen.findByRole("button", { name: "Waits for your yes or no" }));
  expect(screen.queryByRole("group", { name: "Question" })).toBeNull();
  unmount();
  open();
  expect(screen.getByRole("button", { name: "Waits for your yes or no", expanded: false })).toBeDefined();

  store.tell({ type: "snapshot", snapshot: { ...ONLINE, questions: [deletion("q1"), deletion("q2")] } });
  expect(await screen.findAllByRole("group", { name: "Question" })).toHaveLength(2);
  expect(screen.getByRole("button", { name: "2 wait for your yes or no", expanded: true })).toBeDefined();
});

function Page() {
  useTitle("Tasks");
  return <OpenQuestions />;
}

test("a question that no conversation shows is on every page, and in its title", async () => {
  const store = new ScriptedStore();
  render(
    <RpcProvider rpc={store.rpc}>
      <ShownQuestions>
        <Page />
        <ChatSurface
          variant="home"
          sessionId="s1"
          messages={[ASKED]}
          isStreaming={false}
          onSend={async () => undefined}
          onStop={() => undefined}
        />
      </ShownQuestions>
    </RpcProvider>,
  );
  const elsewhere = { ...deletion("q9"), request_id: "other" };
  store.tell({ type: "snapshot", snapshot: { ...ONLINE, questions: [REQUEST, elsewhere] } });

  const corner = await screen.findByRole("complementary", { name: "Questions of Adiuva" });
  await waitFor(() => expect(corner.textContent).not.toContain(REQUEST.summary));
  expect(corner.textContent).toContain(elsewhere.summary);
  expect(document.title).toBe("(2) Tasks · Adiuva");
  expect(screen.getAllByText(REQUEST.summary)).toHaveLength(1);
});
