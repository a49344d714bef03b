/** Notes in Markdown files: of Obsidian, of Notion, and of Adiuva's own export. */
import { isMap, parseDocument } from "yaml";
import { msg } from "../i18n/msg";
import { foldedText } from "../parts/folding";
import { isPictureName, LARGEST_BYTES } from "../store/pictures";
import { folderOf, resolvedPath, stemOf, textOf } from "./files";
import { leadingTo, type MarkdownLink, noteLink, type WikiLink, withLinks } from "./links";
import { pictureName, pictureType } from "./pictures";
import type { PlanBuilder } from "./plan";
import { isoMoment } from "./said";
import { addTaskList } from "./task_lists";
import type { PathFile } from "./zip";

/** What Adiuva's export says of the file of a note. */
export const OWN_NOTE = "note";

/** A note's file. Its `text` has neither Notion's title nor what Adiuva's export wrote before it. */
export interface Page {
  readonly path: string;
  readonly title: string;
  readonly text: string;
  /** What Adiuva's export says that it is; null in other files. */
  readonly own: string | null;
  readonly about: Readonly<Record<string, unknown>>;
}

const NOTION_ID = / [0-9a-f]{32}$/;
const MARKDOWN = /\.(md|markdown)$/i;

export function isMarkdown(path: string): boolean {
  return MARKDOWN.test(path);
}

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

/** Adds all notes, in projects by their first folder. */
export async function addNotes(
  builder: PlanBuilder,
  pages: readonly Page[],
  files: readonly PathFile[],
): Promise<void> {
  const folders = ownFolders(builder, pages);
  const links = new Links(builder, pages, await picturesOf(builder, files));
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
  links.skipUnused();
}

/** The folder whose pages are below this one, as in Notion; empty without. */
function folderNote({ path, own }: Page, roots: ReadonlySet<string | undefined>): string {
  return own === null && roots.has(stemOf(path)) ? stemOf(path) : "";
}

/** The projects of Adiuva's export, by their folders. Adds their tasks and dates, and those of no project. */
function ownFolders(builder: PlanBuilder, pages: readonly Page[]): ReadonlyMap<string, string | null> {
  const folders = new Map<string, string | null>();
  for (const { path, about, own, text } of pages) {
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
      addTaskList(builder, text, id);
    } else if (own === "tasks") {
      addTaskList(builder, text, null);
    }
  }
  return folders;
}

function momentIn(value: unknown): number | null {
  const text = value instanceof Date ? value.toISOString() : value;
  return typeof text === "string" ? isoMoment(text) : null;
}

/** The links of all pages, to notes of this instead of to files, and to pictures that are imported with them. */
class Links {
  readonly #builder: PlanBuilder;
  readonly #titleOfPath: ReadonlyMap<string, string>;
  readonly #titleOfStem: ReadonlyMap<string, string>;
  readonly #pictures: readonly FoundPicture[];
  readonly #pictureOfPath: ReadonlyMap<string, FoundPicture>;
  readonly #pictureOfFile: ReadonlyMap<string, FoundPicture>;
  readonly #used = new Set<FoundPicture>();

  constructor(builder: PlanBuilder, pages: readonly Page[], pictures: readonly FoundPicture[]) {
    this.#builder = builder;
    this.#titleOfPath = new Map(pages.map(({ path, title }) => [foldedText(path), title]));
    this.#titleOfStem = new Map(pages.map(({ path, title }) => [foldedText(stemOf(path)), title]));
    this.#pictures = pictures;
    this.#pictureOfPath = new Map(pictures.map((each) => [foldedText(each.path), each]));
    this.#pictureOfFile = new Map(pictures.map((each) => [foldedText(fileOf(each.path)), each]));
  }

  rewritten(page: Page): string {
    return withLinks(page.text, {
      // Those of Adiuva's own notes are titles already.
      wiki: (link) => (page.own === null ? this.#wiki(link) : link.all),
      markdown: (link) => this.#markdown(link, folderOf(page.path)),
    });
  }

  skipUnused(): void {
    for (const picture of this.#pictures.filter((each) => !this.#used.has(each))) {
      this.#builder.skip(picture.path, msg("No note shows this picture."));
    }
  }

  #wiki({ all, isShown, inside }: WikiLink): string {
    const [target = "", words] = inside.split("|");
    const path = target.split(/[#^]/, 1)[0]?.trim() ?? "";
    if (path === "") {
      return all;
    }
    const picture = this.#pictureOfFile.get(foldedText(fileOf(path)));
    if (picture !== undefined) {
      return isShown ? `![${stemOf(path)}](attachment:${this.#taken(picture)})` : all;
    }
    const name = fileOf(path).replace(MARKDOWN, "");
    return noteLink(this.#titleOfStem.get(foldedText(name)) ?? name, words);
  }

  #markdown(link: MarkdownLink, folder: string): string {
    const { all, isShown, words, address } = link;
    if (/^([a-z][a-z+.-]*:|#|$)/i.test(address)) {
      return all;
    }
    const path = foldedText(resolvedPath(folder, decoded(address.split("#", 1)[0] ?? "")));
    const picture = this.#pictureOfPath.get(path);
    if (picture !== undefined) {
      return isShown ? leadingTo(link, `attachment:${this.#taken(picture)}`) : all;
    }
    const title = this.#titleOfPath.get(path);
    return title === undefined || isShown ? all : noteLink(title, words);
  }

  #taken(picture: FoundPicture): string {
    this.#builder.pictures.set(picture.name, picture.content);
    this.#used.add(picture);
    return picture.name;
  }
}

function fileOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function decoded(address: string): string {
  try {
    return decodeURIComponent(address).normalize("NFC");
  } catch {
    return address;
  }
}

interface FoundPicture {
  readonly path: string;
  /** As notes name it. */
  readonly name: string;
  readonly content: Blob;
}

async function picturesOf(builder: PlanBuilder, files: readonly PathFile[]): Promise<FoundPicture[]> {
  const found: FoundPicture[] = [];
  for (const { path, content } of files) {
    const type = pictureType(path);
    if (type !== undefined && content.size > LARGEST_BYTES) {
      builder.skip(path, msg("The picture has more than 20 MB."));
    } else if (type !== undefined) {
      const name = isPictureName(fileOf(path)) ? fileOf(path) : await pictureName(content, type);
      found.push({ path, name, content: new Blob([content], { type }) });
    }
  }
  return found;
}
