/** Pages in Markdown, and what they link to. */
import { msg } from "../i18n/msg";
import { foldedText } from "../parts/folding";
import { isPictureName, LARGEST_BYTES } from "../store/pictures";
import { folderOf, resolvedPath, stemOf } from "./files";
import { leadingTo, type MarkdownLink, namesFile, titleLink, type WikiLink, withLinks } from "./links";
import { pictureName, pictureType } from "./pictures";
import type { PlanBuilder } from "./plan";
import type { PathFile } from "./zip";

/** A file of a note or a task. Its `text` has neither Notion's title nor what Adiuva's export wrote before it. */
export interface Page {
  readonly path: string;
  readonly title: string;
  readonly text: string;
  /** What Adiuva's export says that it is; null in other files. */
  readonly own: string | null;
  readonly about: Readonly<Record<string, unknown>>;
}

/** Of an embed in Obsidian, in pixels. */
const WIDTH = /^\d+(?:x\d+)?$/;
const MARKDOWN = /\.(md|markdown)$/i;

export function isMarkdown(path: string): boolean {
  return MARKDOWN.test(path);
}

/** The links of all pages, by title instead of to files, and to pictures that are imported with them. */
export class PageLinks {
  readonly #builder: PlanBuilder;
  readonly #titleOfPath: Map<string, string>;
  readonly #titleOfStem: ReadonlyMap<string, string>;
  readonly #titleOfId: ReadonlyMap<string, string>;
  readonly #pictures: readonly FoundPicture[];
  readonly #pictureOfPath: ReadonlyMap<string, FoundPicture>;
  readonly #pictureOfFile: ReadonlyMap<string, FoundPicture>;
  readonly #used = new Set<FoundPicture>();
  readonly #missed = new Set<string>();

  /** Reads the pictures among `files`. */
  static async of(builder: PlanBuilder, pages: readonly Page[], files: readonly PathFile[]): Promise<PageLinks> {
    return new PageLinks(builder, pages, await picturesOf(builder, files));
  }

  private constructor(builder: PlanBuilder, pages: readonly Page[], pictures: readonly FoundPicture[]) {
    this.#builder = builder;
    this.#titleOfPath = new Map(pages.map(({ path, title }) => [foldedText(path), title]));
    this.#titleOfStem = new Map(pages.map(({ path, title }) => [foldedText(stemOf(path)), title]));
    this.#titleOfId = new Map(pages.map(({ path, title }) => [idIn(stemOf(path)), title]));
    this.#pictures = pictures;
    this.#pictureOfPath = new Map(pictures.map((each) => [foldedText(each.path), each]));
    this.#pictureOfFile = new Map(pictures.map((each) => [foldedText(fileOf(each.path)), each]));
  }

  /** Links to the file at `path` lead to what has this title. */
  lead(path: string, title: string): void {
    this.#titleOfPath.set(foldedText(path), title);
  }

  /** The page's text. Pictures that it shows are imported. */
  rewritten(page: Page): string {
    return withLinks(page.text, {
      // Those of Adiuva's own notes are titles already.
      wiki: (link) => (page.own === null ? this.#wiki(link) : link.all),
      markdown: (link) => this.#markdown(link, folderOf(page.path)),
    });
  }

  /** A value of Notion's table in `folder`: what it relates to is `Title (address)`, several with commas between. */
  related(value: string, folder: string): string {
    return value.replace(/([^,\s][^,]*?) \((\S+)\)/g, (all, words: string, address: string) => {
      const link = { all: `[${words}](${address})`, isShown: false, words, address };
      const found = this.#markdown(link, folder);
      return found === link.all ? all : found;
    });
  }

  skipUnused(): void {
    for (const picture of this.#pictures.filter((each) => !this.#used.has(each))) {
      this.#builder.skip(picture.path, msg("Neither a note nor a task shows this picture."));
    }
  }

  #wiki({ all, isShown, inside }: WikiLink): string {
    const [, target = "", bar = "", words] = /^(.*?)(?:(\\?\|)(.*))?$/.exec(inside) ?? [];
    const path = target.split(/[#^]/, 1)[0]?.trim() ?? "";
    if (path === "") {
      return all;
    }
    const picture = this.#pictureOfFile.get(foldedText(fileOf(path)));
    if (picture !== undefined) {
      const said = words === undefined || WIDTH.test(words) ? `${stemOf(path)}${bar}${words ?? ""}` : words;
      return isShown ? `![${said}](attachment:${this.#taken(picture)})` : all;
    }
    const name = fileOf(path).replace(MARKDOWN, "");
    const title = this.#titleOfStem.get(foldedText(name));
    if (title === undefined && isShown && namesFile(path)) {
      this.#miss(path);
      return all;
    }
    // Links lead to whole notes, so the heading stays as words. The name of a block says nothing.
    const heading = target
      .split("#")
      .slice(1)
      .map((part) => part.trim())
      .filter((part) => !/^(?:\^|$)/.test(part))
      .at(-1);
    return titleLink(title ?? name, words ?? heading);
  }

  #markdown(link: MarkdownLink, folder: string): string {
    const { all, isShown, words, address } = link;
    if (NOTION.test(address)) {
      const page = this.#titleOfId.get(idIn(address));
      return page === undefined || isShown ? all : titleLink(page, words);
    }
    if (/^([a-z][a-z+.-]*:|#|$)/i.test(address)) {
      return all;
    }
    const path = foldedText(resolvedPath(folder, decoded(address.split("#", 1)[0] ?? "")));
    const picture = this.#pictureOfPath.get(path);
    if (picture !== undefined) {
      return isShown ? leadingTo(link, `attachment:${this.#taken(picture)}`) : all;
    }
    const title = this.#titleOfPath.get(path);
    if (title === undefined && isShown) {
      this.#miss(decoded(address));
    }
    return title === undefined || isShown ? all : titleLink(title, words);
  }

  /** The text keeps the name of a picture that is not there. */
  #miss(path: string): void {
    if (pictureType(path) !== undefined && !this.#missed.has(path)) {
      this.#missed.add(path);
      this.#builder.skip(path, msg("This picture is not among the files. Where it would be shown, its name is kept."));
    }
  }

  #taken(picture: FoundPicture): string {
    this.#builder.pictures.set(picture.name, picture.content);
    this.#used.add(picture);
    return picture.name;
  }
}

/** At times Notion links a page by its address, which ends with the page's id, although the export has it. */
const NOTION = /^https:\/\/(?:www\.)?notion\.(?:so|site)\/[^?#]*[0-9a-f]{32}(?:[?#]|$)/i;

/** The id of Notion at the end of a name or of an address; empty without. */
function idIn(name: string): string {
  return /(?:^|[^0-9a-f])([0-9a-f]{32})(?:[?#]|$)/i.exec(name)?.[1]?.toLowerCase() ?? "";
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
