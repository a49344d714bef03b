/** The import and the export as Settings shows them. */
import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { chooseLanguage } from "../src/i18n/language";
import { Export } from "../src/pages/settings/Export";
import { Import } from "../src/pages/settings/Import";
import { UserError } from "../src/rpc/errors";
import type { ImportPreview, StoreApi } from "../src/rpc/messages";
import { RpcProvider } from "../src/rpc/RpcProvider";
import { ScriptedStore } from "./rpc";

const NONE = { added: 0, known: 0 };
const FOUND: ImportPreview = {
  id: "import-1",
  sources: ["todoist", "calendar"],
  counts: {
    tasks: { added: 12, known: 2 },
    projects: { added: 1, known: 1 },
    checkpoints: NONE,
    notes: NONE,
    taskComments: NONE,
    clients: NONE,
  },
  pictures: 0,
  samples: [
    { table: "projects", title: "Website", project: null, date: null },
    { table: "tasks", title: "Write the text", project: "Website", date: new Date(2026, 0, 2).getTime() },
  ],
  skipped: [{ name: "Website", text: "A task without a title.", values: {} }],
  remarks: [{ text: "How long tasks take is not imported.", values: {} }],
};
const COUNTS = { tasks: 12, projects: 1, checkpoints: 0, notes: 0, taskComments: 0, clients: 0 };

function shown(element: React.ReactElement, answers: Partial<Record<keyof StoreApi, (...args: never[]) => unknown>>) {
  const store = new ScriptedStore(answers);
  render(<RpcProvider rpc={store.rpc}>{element}</RpcProvider>);
  return { store, user: userEvent.setup() };
}

async function choose(user: ReturnType<typeof userEvent.setup>, name = "Choose files…"): Promise<void> {
  await user.upload(screen.getByLabelText(name, { selector: "input" }), new File(["TYPE,CONTENT"], "Website.csv"));
}

afterEach(async () => {
  vi.restoreAllMocks();
  await chooseLanguage(null);
});

test("an import is shown before it is done, and undone as one change", async () => {
  const { store, user } = shown(<Import />, {
    readImport: () => FOUND,
    runImport: () => ({ counts: COUNTS, entry: "entry-1" }),
    undo: () => ({ id: "undo-1", undone: [], conflicts: [] }),
  });

  await choose(user);
  const asked = await screen.findByRole("group", { name: "Import this?" });
  expect(asked.textContent).toContain("12 tasks and 1 project");
  expect(asked.textContent).toContain("Here already, and not imported again: 2 tasks and 1 project.");
  expect(asked.textContent).toContain("Task Write the text Website · 2 Jan");
  expect(asked.textContent).toContain("From Todoist and a calendar");
  expect(asked.textContent).toContain("and 11 more");
  expect(asked.textContent).toContain("1 is left out");
  expect(asked.textContent).toContain("A task without a title.");
  expect(document.activeElement?.textContent).toBe("Leave it");
  expect(store.calls("runImport")).toEqual([]);
  await user.click(within(asked).getByRole("button", { name: "Import it" }));

  await screen.findByText("Imported: 12 tasks and 1 project.");
  expect(store.calls("runImport")).toEqual([["import-1"]]);
  await user.click(screen.getByRole("button", { name: "Undo the import" }));
  await screen.findByText("The import is undone.");
  expect(store.calls("undo")).toEqual([[{ call: "entry-1" }]]);
});

test("what was changed since keeps an import from being undone", async () => {
  const { user } = shown(<Import />, {
    readImport: () => FOUND,
    runImport: () => ({ counts: COUNTS, entry: "entry-1" }),
    undo: () => ({ id: null, undone: [], conflicts: [{ table: "tasks", id: "t1", now: null, would_be: null }] }),
  });
  await choose(user);
  await user.click(await screen.findByRole("button", { name: "Import it" }));

  await user.click(await screen.findByRole("button", { name: "Undo the import" }));

  expect((await screen.findByRole("alert")).textContent).toContain("nothing was undone");
});

test("nothing new cannot be imported", async () => {
  const counts = { ...FOUND.counts, tasks: { added: 0, known: 2 }, projects: { added: 0, known: 1 } };
  const { user } = shown(<Import />, { readImport: () => ({ ...FOUND, counts, samples: [] }) });

  await choose(user, "Choose a folder…");

  const asked = await screen.findByRole("group", { name: "Import this?" });
  expect(asked.textContent).toContain("There is nothing new in it.");
  expect(within(asked).queryByRole("button", { name: "Import it" })).toBeNull();
  await user.keyboard("{Escape}");
  expect(screen.queryByRole("group")).toBeNull();
});

test("errors of the store are in the language of the page, and so is what an import writes", async () => {
  await chooseLanguage("it");
  const { store, user } = shown(<Import />, {
    readImport: () => {
      throw new UserError("This calendar is damaged: {why}", { why: "line 3" });
    },
  });

  await choose(user, "Scegli i file…");

  expect((await screen.findByRole("alert")).textContent).toBe("Questo calendario è danneggiato: line 3");
  const [[, words, language] = []] = store.calls("readImport");
  expect([words, language]).toEqual([
    { date: "Data", deadline: "Termine", partOf: "Parte di", repeats: "Si ripete", section: "Sezione" },
    "it",
  ]);
});

test("an export is saved under the day's name", async () => {
  const saved: string[] = [];
  vi.spyOn(URL, "createObjectURL").mockReturnValue("blob:export");
  vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (this: HTMLAnchorElement) {
    saved.push(this.download);
  });
  const { store, user } = shown(<Export />, { exportFile: () => ({ size: 1 }) });

  for (const form of ["Markdown", "CSV", "ICS"]) {
    await user.click(screen.getByRole("button", { name: `Download ${form}` }));
    await screen.findByText(/The browser saves it as adiuva-[\d-]+\.(markdown\.zip|csv\.zip|ics)\./);
  }

  expect(store.calls("exportFile")).toEqual([["markdown"], ["csv"], ["calendar"]]);
  expect(saved.map((name) => name.replace(/\d{4}-\d{2}-\d{2}/, "day"))).toEqual([
    "adiuva-day.markdown.zip",
    "adiuva-day.csv.zip",
    "adiuva-day.ics",
  ]);
});
