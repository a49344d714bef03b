/** Reads what a user chose for an import, of any program that is known. Loaded when it is needed. */
import { msg } from "../i18n/msg";
import { UserError } from "../rpc/errors";
import type { TableName } from "../rpc/messages";
import { copyOf } from "../store/copies";
import { isPictureName } from "../store/pictures";
import { addCalendar } from "./calendar";
import { assertIntact, type Csv, readCsv } from "./csv";
import { nothingKnown, openedFiles, textOf } from "./files";
import { addNotes, isNotion, readPage } from "./markdown";
import { addDatabases } from "./notion";
import { isMarkdown, PageLinks } from "./page_links";
import { pictureType } from "./pictures";
import { type Context, type Plan, PlanBuilder, type Rows, type Source } from "./plan";
import { readTables, tableOfFile } from "./tables";
import { addTodoist, isTodoist } from "./todoist";
import type { PathFile } from "./zip";

/** What the journal can hold, so that the whole import can be undone. */
const MOST_CHARACTERS = 32 * 1024 * 1024;

/** Throws `UserError` and `CopyRefused`. */
export async function readPlan(chosen: readonly PathFile[], context: Context): Promise<Plan> {
  const plan = await read(await openedFiles(chosen), context);
  if (JSON.stringify(plan.rows).length > MOST_CHARACTERS) {
    throw new UserError(msg("This is too much for one import that can be undone. Import it in parts."));
  }
  return plan;
}

async function read(files: readonly PathFile[], context: Context): Promise<Plan> {
  const copy = files.find(({ path }) => /\.json$/i.test(path));
  if (copy !== undefined && !files.some(({ path }) => isMarkdown(path))) {
    return await fromCopy(copy, files);
  }
  const tables = await readTablesOf(files);
  const own = ownTables(tables);
  if (own.size > 0) {
    return withRows("csv", readTables(own), files);
  }
  return await fromOthers(files, tables, context);
}

async function fromCopy(file: PathFile, files: readonly PathFile[]): Promise<Plan> {
  const { ai_chat_sessions: conversations, ai_chat_messages: _, ...rows } = copyOf(await textOf(file.content)).rows;
  const plan = withRows("copy", rows, files);
  if (conversations.length === 0) {
    return plan;
  }
  const text = msg("Conversations are not imported: “Restore from a copy…” brings them.");
  return { ...plan, remarks: [{ text, values: {} }] };
}

/** Rows with their own ids, and the pictures beside them. */
function withRows(source: Source, rows: Rows, files: readonly PathFile[]): Plan {
  const pictures = new Map<string, Blob>();
  for (const { path, content } of files) {
    const name = path.slice(path.lastIndexOf("/") + 1);
    if (isPictureName(name)) {
      pictures.set(name, content);
    }
  }
  return { sources: [source], rows, pictures, skipped: [], remarks: [] };
}

async function readTablesOf(files: readonly PathFile[]): Promise<ReadonlyMap<PathFile, Csv>> {
  const tables = files.filter(({ path }) => /\.csv$/i.test(path));
  return new Map(await Promise.all(tables.map(async (file) => [file, readCsv(await textOf(file.content))] as const)));
}

function ownTables(tables: ReadonlyMap<PathFile, Csv>): ReadonlyMap<TableName, Csv> {
  const own = new Map<TableName, Csv>();
  for (const [{ path }, csv] of tables) {
    const table = tableOfFile(path, csv);
    if (table !== undefined) {
      assertIntact(csv, path);
      own.set(table, csv);
    }
  }
  return own;
}

async function fromOthers(
  files: readonly PathFile[],
  tables: ReadonlyMap<PathFile, Csv>,
  context: Context,
): Promise<Plan> {
  const builder = new PlanBuilder(context.now);
  const sources = new Set<Source>();
  const todoist = [...tables].filter(([, csv]) => isTodoist(csv));
  for (const [{ path }, csv] of todoist) {
    sources.add("todoist");
    addTodoist(builder, path, csv, context);
  }
  for (const { path, content } of files.filter((each) => /\.(ics|ical)$/i.test(each.path))) {
    sources.add("calendar");
    addCalendar(builder, path, await textOf(content), context.now);
  }
  const others = files.filter((file) => !todoist.some(([each]) => each === file));
  if (others.some(({ path }) => isMarkdown(path)) || isNotion(others)) {
    sources.add(isNotion(others) ? "notion" : "markdown");
    const pages = await Promise.all(others.filter(({ path }) => isMarkdown(path)).map(readPage));
    const links = await PageLinks.of(builder, pages, others);
    const notes = await addDatabases(builder, { files: others, pages, links }, context);
    addNotes(builder, notes, { files: others, links });
    links.skipUnused();
  }
  if (sources.size === 0) {
    throw nothingKnown();
  }
  for (const { path } of files.filter((each) => !/\.(csv|ics|ical)$/i.test(each.path))) {
    if (!isMarkdown(path) && pictureType(path) === undefined) {
      builder.skip(path, msg("This kind of file is not imported."));
    }
  }
  return builder.plan(sources);
}
