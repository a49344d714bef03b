import type { Tables } from "@adiuva/client/database";
import { expect, test, vi } from "vitest";
import { differing } from "../src/editor/MarkdownEditor";
import { merged } from "../src/store/note_saving";
import { SearchIndex } from "../src/store/search";
import { addressOf, checklistOf, groupsOf, readView, tasksIn, USUAL } from "../src/tasks/view";
import { task } from "./rows";

const NOW = new Date(2026, 10, 24, 12).getTime();
const DAY = 86_400_000;

const AROUND = { names: new Map([["p1", "Website"]]), lingering: new Set<string>() };

test("changes of other lines and of other words are both kept", () => {
  const base = "one two three\nsecond\nthird\n";
  expect(merged(base, "one two three\nsecond\nTHIRD\n", "zero\none two three\nsecond\nthird\n")).toEqual({
    content: "zero\none two three\nsecond\nTHIRD\n",
    isConflict: false,
  });
  expect(merged(base, "ONE two three\nsecond\nthird\n", "one two THREE\nsecond\nthird\n")).toEqual({
    content: "ONE two THREE\nsecond\nthird\n",
    isConflict: false,
  });
});

test("of words that were changed twice both versions are kept", () => {
  const { content, isConflict } = merged("meet at five\n", "meet at six\n", "meet at seven\n");
  expect([content, isConflict]).toEqual(["meet at six seven\n", true]);
});

test("changes at both ends of a long paragraph are both kept", () => {
  const words = Array.from({ length: 5_000 }, (_, index) => `word${index}`).join(" ");
  expect(merged(`one ${words} last\n`, `ONE ${words} last\n`, `one ${words} LAST\n`)).toEqual({
    content: `ONE ${words} LAST\n`,
    isConflict: false,
  });
});

test("changes among lines with blank ones between them are both kept", () => {
  const [base, mine, theirs] = [
    "one\n\ntwo\r\n\r\nthree\n",
    "one\n\ntwo\r\n\r\nTHREE\n",
    "zero\n\none\n\ntwo\r\n\r\nthree\n",
  ];
  expect(merged(base, mine, theirs)).toEqual({ content: "zero\n\none\n\ntwo\r\n\r\nTHREE\n", isConflict: false });
});

test("of a text that is too long to compare, what is between the first and the last change is kept twice", () => {
  const same = "la ".repeat(5_000);
  const { content, isConflict } = merged(`Sing ${same}end\n`, `Sing a ${same}end\n`, `Sing ${same}the end\n`);
  expect([content, isConflict]).toEqual([`Sing a ${same}${same}the end\n`, true]);
});

test("a text that only one side changed is that side's, to the letter", () => {
  for (const text of ["", "a\r\nb", "* odd   list\n\n\n-  other", "  "]) {
    expect(merged("base", text, "base").content).toBe(text);
    expect(merged("base", "base", text).content).toBe(text);
    expect(merged("base", text, text)).toEqual({ content: text, isConflict: false });
  }
});

test("the address of a view says all that differs from the usual, and nothing else", () => {
  expect(addressOf(USUAL)).toBe("");
  const view = { ...USUAL, search: "a & “b”", sort: "title", as: "status" } as const;
  expect(readView(addressOf(view))).toEqual(view);
  expect(readView("?sort=nonsense&status=done&other=1")).toEqual({ ...USUAL, status: "done" });
});

test("a search finds all words in any order and ignores case, accents and the shape of quotation marks", () => {
  const tasks = [task("Renew the domain’s “café” entry"), task("other", { assignee: '["José"]' })];
  const found = (search: string) => tasksIn(tasks, { ...USUAL, search }, AROUND).map(({ id }) => id);
  expect(found("CAFE domain's")).toEqual(["Renew the domain’s “café” entry"]);
  expect(found('"entry" renew')).toEqual(["Renew the domain’s “café” entry"]);
  expect(found("jose")).toEqual(["other"]);
  expect(found("renew jose")).toEqual([]);
});

test("tasks are sorted once for all letters of a search, and again in another order", () => {
  const tasks = [task("b", { dueDate: NOW }), task("a", { dueDate: NOW + 1 })];
  const sorting = vi.spyOn(tasks, "toSorted");
  const found = (view: Partial<typeof USUAL>) => tasksIn(tasks, { ...USUAL, ...view }, AROUND).map(({ id }) => id);
  expect([found({}), found({ search: "a" }), found({})]).toEqual([["b", "a"], ["a"], ["b", "a"]]);
  expect(sorting).toHaveBeenCalledTimes(1);
  expect([found({ sort: "title" }), found({})]).toEqual([
    ["a", "b"],
    ["b", "a"],
  ]);
});

test("tasks are grouped by when they are due, and what was ticked just now stays where it was", () => {
  const due = (days: number) => new Date(2026, 10, 24 + days).getTime();
  const tasks = [
    task("late", { dueDate: due(-1) }),
    task("now", { dueDate: due(0) + 9 * 3_600_000 }),
    task("soon", { dueDate: due(6) }),
    task("far", { dueDate: due(7) }),
    task("never"),
    task("ticked", { status: "done", dueDate: due(0) }),
    task("over", { status: "done", dueDate: due(0) }),
  ];
  const groups = groupsOf(tasks, NOW, new Set(["ticked"])).map(({ id, tasks: of }) => [id, of.map((each) => each.id)]);
  expect(groups).toEqual([
    ["overdue", ["late"]],
    ["today", ["now", "ticked"]],
    ["week", ["soon"]],
    ["later", ["far"]],
    ["none", ["never"]],
    ["done", ["over"]],
  ]);
  expect(tasksIn(tasks, USUAL, { ...AROUND, lingering: new Set(["ticked"]) }).map(({ id }) => id)).toEqual([
    "late",
    "ticked",
    "now",
    "soon",
    "far",
    "never",
  ]);
});

test("the boxes of a description are counted", () => {
  expect(checklistOf("text\n- [x] one\n  * [ ] two\n- three")).toEqual([1, 2]);
  expect(checklistOf("- three")).toBeNull();
  expect(checklistOf(null)).toBeNull();
});

test("the change between two texts touches nothing else", () => {
  expect(differing("abc", "abc")).toBeNull();
  expect(differing("aXa", "aXXa")).toEqual({ from: 2, to: 2, insert: "X" });
  expect(differing("one two", "one")).toEqual({ from: 3, to: 7, insert: "" });
});

function index(rows: Record<string, unknown[]>) {
  const listeners: ((change: object) => void)[] = [];
  const orm = { snapshot: async () => [] };
  const tables = {
    database: orm,
    onChange: (listener: (change: object) => void) => listeners.push(listener),
    select: async (table: string) => rows[table] ?? [],
    get: async (table: string, id: string) => rows[table]?.find((row) => (row as { id: string }).id === id) ?? null,
  };
  return {
    search: new SearchIndex(tables as unknown as Tables),
    tell: (table: string, id: string) => listeners.forEach((listener) => void listener({ table, id })),
  };
}

test("the index ranks titles before texts, open before done, and follows changes", async () => {
  const rows = {
    tasks: [
      task("t1", { title: "Order the liner", description: "for the pond" }),
      task("t2", { title: "Pond", status: "done" }),
    ],
    notes: [{ id: "n1", title: "The pond", content: "deep", createdAt: 0, updatedAt: NOW - DAY }],
    taskComments: [{ id: "c1", taskId: "t1", content: "A pond comment", createdAt: 0 }],
  };
  const { search, tell } = index(rows);
  const found = async (text: string) => (await search.find(text, 9)).map(({ id }) => id);
  expect(await found("pond")).toEqual(["n1", "c1", "t2", "t1"]);
  expect((await search.find("pond liner", 9))[0]).toMatchObject({
    id: "t1",
    place: "/tasks/t1",
    excerpt: "for the pond",
  });
  expect((await search.find("comment", 1))[0]?.place).toBe("/tasks/t1");
  expect(await found("")).toEqual([]);

  rows.tasks[0] = task("t1", { title: "Buy the liner" });
  rows.notes = [];
  tell("tasks", "t1");
  tell("notes", "n1");
  expect(await found("buy")).toEqual(["t1"]);
  expect(await found("pond")).toEqual(["c1", "t2"]);
});
