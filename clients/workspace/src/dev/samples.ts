/** What the parts are shown with. */
import type { ChatMessage } from "@adiuva/client/database";
import { CHART_TYPES } from "../blocks/chart_data";
import type { EntityData } from "../blocks/EntityBlock";
import type { Outcome, Status } from "../chat/parts";
import { daysFrom } from "../parts/dates";
import type { ListedChat } from "../rpc/messages";

const NOW = Date.now();

export const CARDS: readonly EntityData[] = [
  {
    entity: "task",
    items: [
      { id: "1", title: "Buy milk", status: "todo", priority: "high", dueDate: daysFrom(NOW, -2) },
      { id: "2", title: "Water the roses", status: "in_progress", priority: "medium", dueDate: daysFrom(NOW, 1) },
      { id: "3", title: "Call Anna", status: "done", priority: "low", dueDate: null },
    ],
  },
  { entity: "project", items: [{ id: "4", name: "Garden", status: "active" }] },
  { entity: "note", items: [{ id: "5", title: "Ideas for the weekend" }] },
  { entity: "checkpoint", items: [{ id: "6", title: "Pond is filled", date: daysFrom(NOW, 30) }] },
];

const AMOUNTS = [1_200_000, 850_000, 2_400_000, 0, 1_900_000];

export const CHARTS = [
  ...CHART_TYPES.map((chartType) => ({
    chartType,
    title: `A ${chartType} chart`,
    data: AMOUNTS.map((euro, index) => ({ year: String(2022 + index), euro, plan: 1_000_000 })),
    config: { euro: { label: "Euro" }, plan: { label: "Planned" } },
  })),
  {
    chartType: "bar",
    title: "Labels that begin alike",
    data: ["alpha", "beta", "gamma"].map((name, index) => ({
      name: `A very long name of project ${name}`,
      open: index + 2,
    })),
    config: {},
  },
  { chartType: "line", title: "Without numbers", data: [], config: {} },
];

export const TABLE = {
  headers: Array.from({ length: 14 }, (_none, index) => `Column ${index + 1}`),
  rows: Array.from({ length: 40 }, (_none, row) => Array.from({ length: 14 }, (_cell, index) => row * index * 1000)),
};

export const TIMELINE = {
  checkpoints: [-40, 0, 12, 95].map((days) => ({ id: `${days}`, title: `In ${days} days`, date: daysFrom(NOW, days) })),
};

export const STATUSES: readonly Status[] = [
  { state: "thinking" },
  { state: "calling_tool", label: "Looking at your tasks" },
  { state: "waiting_approval" },
  { state: "queued" },
];

const MARKDOWN = `# A heading

Words in **bold** and *italics*, \`code\` and [a link](https://example.com).

- one
- [x] two

> A quote.

\`\`\`python
def water(roses: int) -> str:
    return f"{roses} roses have water, and this line is long enough to be scrolled in a narrow window, or in any other"
\`\`\`

| Task | Hours |
|---|---|
| Buy milk | 1 |
`;

function answer(id: string, content: string, outcome: Partial<Outcome> = {}): ChatMessage {
  const ended = { requestId: id, finishReason: "done", mutations: [], ...outcome };
  return { ...said(id, content), role: "assistant", toolCalls: [ended] };
}

function said(id: string, content: string): ChatMessage {
  return {
    id,
    sessionId: "s",
    role: "user",
    content,
    toolCalls: null,
    toolResults: null,
    scope: null,
    createdAt: NOW,
  };
}

export const ANSWERS: readonly ChatMessage[] = [
  said("a", "What should I do next?"),
  { ...said("b", "What is in the picture?"), toolResults: [{ type: "picture", name: "roses.png" }] },
  answer("c", MARKDOWN),
  answer("d", "Half an answ", { finishReason: "cancelled" }),
  answer("e", "", {
    finishReason: "error",
    error: { message: "The model cannot be reached. Try again later.", retryable: true },
  }),
  answer("f", "I created the task “Call Anna”.", { mutations: [{ action: "insert", table: "tasks", id: "3" }] }),
];

function chat(id: string, title: string, more: Partial<ListedChat> = {}): ListedChat {
  const listed = { isPinned: false, isAsking: false, excerpt: "" };
  return { id, channel: "home", title, createdAt: NOW, updatedAt: NOW, lastScope: null, ...listed, ...more };
}

export const CHATS: readonly ListedChat[] = [
  chat("a", "What should I do next?"),
  chat("b", "A title that is much longer than the pane is wide, so that its end is not shown", { isPinned: true }),
  chat("c", "Delete the task", { isAsking: true }),
  chat("d", "About roses", { excerpt: "…the roses need water at…", channel: "contextual" }),
];
