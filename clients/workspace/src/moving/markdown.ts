/** Notes in Markdown files: of Obsidian, of Notion, and of Adiuva's own export. */
import { isMap, parseDocument } from "yaml";
import { folderOf, stemOf, textOf } from "./files";
import type { Page, PageLinks } from "./page_links";
import type { PlanBuilder } from "./plan";
import { isoMoment } from "./said";
import { addTaskList } from "./task_lists";
import type { PathFile } from "./zip";

/** What Adiuva's export says of the file of a note. */
export const OWN_NOTE = "note";

const NOTION_ID = / [0-9a-f]{32}$/;

/** Notion gives every file an id. */
export function isNotion(files: readonly PathFile[]): boolean {
  return files.some(({ path }) => /\.(md|csv)$/i.test(path) && NOTION_ID.test(stemOf(path).replace(/_all$/, "")));
}

export function withoutId(name: string): string {
  return name.replace(NOTION_ID, "");
}

export async function readPage({ path, content }: PathFile): Promise<Page> {
  const written = (await textOf(content)).replace(/\r\n?/g, "\n");
  const { about, rest } = frontMatter(written);
  const stem = stemOf(path);
  if (typeof about.adiuva === "string") {
    return {
      path,
      title: String(about.title ?? "").trim() === "" ? stem : String(about.title),
      text: rest,
      own: about.adiuva,
      about,
    };
  }
  const heading = NOTION_ID.test(stem) ? /^# (.*)\n*/.exec(written) : null;
  return {
    path,
    title: heading?.[1]?.trim() || withoutId(stem),
    text: heading === null ? written : written.slice(heading[0].length),
    own: null,
    about,
  };
}

/** What is before a text in YAML. */
function frontMatter(text: string): { about: Readonly<Record<string, unknown>>; rest: string } {
  const match = /^---\n([\s\S]*?)\n---[ \t]*(?:\n|$)/.exec(text);
  const document = match === null ? null : parseDocument(match[1] as string, { logLevel: "silent" });
  if (match === null || document === null || document.errors.length > 0 || !isMap(document.contents)) {
    return { about: {}, rest: text };
  }
  return { about: document.toJS() as Record<string, unknown>, rest: text.slice(match[0].length) };
}

/** Adds all notes, in projects by their first folder. `links` are those of these and of all other pages. */
export function addNotes(
  builder: PlanBuilder,
  pages: readonly Page[],
  { files, links }: { files: readonly PathFile[]; links: PageLinks },
): void {
  const folders = ownFolders(builder, pages, links);
  const roots = new Set(files.map(({ path }) => path.split("/")).flatMap(([root, inner]) => (inner ? [root] : [])));
  for (const page of pages.filter(({ own }) => own === null || own === OWN_NOTE)) {
    const folder = folderOf(page.path).split("/", 1)[0] || folderNote(page, roots);
    const project = folders.get(folder) ?? builder.project(withoutId(folder));
    const createdAt = momentIn(page.about.created);
    const updatedAt = momentIn(page.about.updated) ?? createdAt;
    builder.note({
      title: page.title,
      content: links.rewritten(page),
      projectId: project,
      ...(createdAt === null ? {} : { createdAt }),
      ...(updatedAt === null ? {} : { updatedAt }),
    });
  }
}

/** The folder whose pages are below this one, as in Notion; empty without. */
function folderNote({ path, own }: Page, roots: ReadonlySet<string | undefined>): string {
  return own === null && roots.has(stemOf(path)) ? stemOf(path) : "";
}

/** The projects of Adiuva's export, by their folders. Adds their tasks and dates, and those of no project. */
function ownFolders(
  builder: PlanBuilder,
  pages: readonly Page[],
  links: PageLinks,
): ReadonlyMap<string, string | null> {
  const folders = new Map<string, string | null>();
  for (const page of pages) {
    const { path, about, own } = page;
    if (own === "project") {
      const folder = folderOf(path).slice(0, -1);
      const createdAt = momentIn(about.created);
      const id = builder.project(
        String(about.name ?? folder),
        {
          status: about.status === "archived" ? "archived" : "active",
          aiSummary: typeof about.summary === "string" ? about.summary : null,
          ...(createdAt === null ? {} : { createdAt }),
        },
        `folder ${folder}`,
      );
      folders.set(folder, id);
      addTaskList(builder, links.rewritten(page), id);
    } else if (own === "tasks") {
      addTaskList(builder, links.rewritten(page), null);
    }
  }
  return folders;
}

function momentIn(value: unknown): number | null {
  const text = value instanceof Date ? value.toISOString() : value;
  return typeof text === "string" ? isoMoment(text) : null;
}
