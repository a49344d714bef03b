/** Notion's databases: a CSV file, and a page for each row. Those that have a state are lists of tasks. */

import type { RowOf } from "@adiuva/client/database";
import { msg } from "../i18n/msg";
import { assertIntact, type Csv, readCsv } from "./csv";
import { folderOf, stemOf, textOf } from "./files";
import { withoutId } from "./markdown";
import type { Page, PageLinks } from "./page_links";
import type { Context, PlanBuilder } from "./plan";
import { readSaid } from "./said";
import type { PathFile } from "./zip";

type Task = RowOf["tasks"];

/** The columns of tasks, by what people call them in English and Italian. */
const COLUMNS = {
  status: /^(status|state|stato)$/i,
  isDone: /^(done|completed?|fatt[oa]|completat[oa])$/i,
  due: /^(due|due date|date|deadline|scadenza|data|data di scadenza)$/i,
  priority: /^(priority|priorità)$/i,
  people: /^(assignee|assigned to|assign|owner|person|people|assegnatari[oa]|assegnato a|responsabile|person[ae])$/i,
} as const;

const DONE = /done|complete|closed|archived|fatt|complet|chius/i;
const BEGUN = /progress|doing|review|started|in corso|iniziat/i;
const UNBEGUN = /^(to.?do|da fare|not|non|incomplet)/i;
const TRUE = /^(yes|true|sì|si|vero)$/i;

interface Export {
  readonly files: readonly PathFile[];
  readonly pages: readonly Page[];
  readonly links: PageLinks;
}

/** Adds the tasks of all databases, and returns the pages that are no task of one. */
export async function addDatabases(
  builder: PlanBuilder,
  { files, pages, links }: Export,
  context: Context,
): Promise<Page[]> {
  const taken = new Set<Page>();
  const paths = new Set(files.map(({ path }) => path));
  for (const { path, content } of files.filter((file) => /\.csv$/i.test(file.path))) {
    const all = path.replace(/(_all)?\.csv$/i, "_all.csv");
    if (path !== all && paths.has(all)) {
      continue;
    }
    const table = readCsv(await textOf(content));
    const folder = path.replace(/(_all)?\.csv$/i, "");
    const own = pages.filter((each) => [`${folder}/`, `${withoutId(folder)}/`].includes(folderOf(each.path)));
    if (isTaskList(table)) {
      assertIntact(table, path);
      for (const page of addTasks(builder, { path, table, pages: own, links }, context)) {
        taken.add(page);
      }
    } else if (own.length === 0) {
      builder.skip(path, msg("This table is no list of tasks: it has no column for their status."));
    }
  }
  return pages.filter((page) => !taken.has(page));
}

function isTaskList({ columns }: Csv): boolean {
  return columns.some((name) => COLUMNS.status.test(name) || COLUMNS.isDone.test(name));
}

/** Returns the pages whose text is in a task. */
function addTasks(
  builder: PlanBuilder,
  { path, table, pages, links }: { path: string; table: Csv; pages: readonly Page[]; links: PageLinks },
  context: Context,
): Page[] {
  const [titled = "", ...others] = table.columns;
  const folder = folderOf(path).split("/", 1)[0] ?? "";
  const project = withoutId(folder === "" ? stemOf(path).replace(/_all$/, "") : folder);
  const projectId = builder.project(project);
  // Its page is that of its project.
  links.lead(path.replace(/_all\.csv$/i, ".csv"), project);
  const left = [...pages];
  const taken: Page[] = [];
  for (const row of table.rows) {
    const title = row[titled]?.trim() ?? "";
    if (title === "") {
      builder.skip(path, msg("A task without a title."));
      continue;
    }
    const at = left.findIndex((page) => page.title === title);
    const [page] = at === -1 ? [] : left.splice(at, 1);
    taken.push(...(page === undefined ? [] : [page]));
    const text = page === undefined ? "" : withoutProperties(links.rewritten(page), others);
    const related = (value: string) => links.related(value, folderOf(path));
    builder.task({ title, projectId, ...valuesOf(row, others, { ...context, text, related }) });
  }
  return taken;
}

function valuesOf(
  row: Readonly<Record<string, string>>,
  columns: readonly string[],
  { now, language, text, related }: Context & { text: string; related: (value: string) => string },
): Partial<Task> {
  const columnOf = (pattern: RegExp) => columns.find((name) => pattern.test(name)) ?? "";
  const value = (pattern: RegExp) => row[columnOf(pattern)]?.trim() ?? "";
  // A range is due at its end.
  const due = value(COLUMNS.due).split("→").at(-1)?.trim() ?? "";
  const read = {
    status: statusOf(value(COLUMNS.status)),
    due: readSaid(due, { now, language }).moment,
    priority: priorityOf(value(COLUMNS.priority)),
  };
  const people = value(COLUMNS.people)
    .split(",")
    .flatMap((name) => name.trim() || []);
  const understood = [COLUMNS.isDone, COLUMNS.people].map(columnOf);
  const kept = (["status", "due", "priority"] as const).filter((name) => read[name] !== null);
  const known = new Set([...understood, ...kept.map((name) => columnOf(COLUMNS[name]))]);
  // What a task cannot hold stays in the description.
  const lines = columns
    .filter((name) => !known.has(name) && row[name]?.trim())
    .map((name) => `${name}: ${related((row[name] as string).trim())}`);
  return {
    status: TRUE.test(value(COLUMNS.isDone)) ? "done" : (read.status ?? "todo"),
    priority: read.priority ?? "medium",
    assignee: people.length === 0 ? null : JSON.stringify(people),
    dueDate: read.due,
    description: [...lines, ...(text === "" ? [] : [text])].join("\n") || null,
  };
}

/** Null if it is none of the usual words. */
function statusOf(status: string): Task["status"] | null {
  if (UNBEGUN.test(status)) {
    return "todo";
  }
  if (DONE.test(status)) {
    return "done";
  }
  return BEGUN.test(status) ? "in_progress" : null;
}

/** Likewise. */
function priorityOf(priority: string): Task["priority"] | null {
  if (/^(high|urgent|alta|urgente|p1)$/i.test(priority)) {
    return "high";
  }
  if (/^(low|bassa|p3)$/i.test(priority)) {
    return "low";
  }
  return /^(medium|media|p2)$/i.test(priority) ? "medium" : null;
}

/** The page begins with the row's values, which are known from the table. */
function withoutProperties(text: string, columns: readonly string[]): string {
  const lines = text.split("\n");
  const first = lines.findIndex((line) => !columns.some((name) => line.startsWith(`${name}: `)));
  return first === -1 ? "" : lines.slice(first).join("\n").trim();
}
