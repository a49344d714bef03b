/** The files that a user chose for an import, out of their zip files and folders. */
import { msg } from "../i18n/msg";
import { UserError } from "../rpc/errors";
import { isZip, type PathFile, unpacked } from "./zip";

const HIDDEN = /(^|\/)(\.|__MACOSX\/|Thumbs\.db$|desktop\.ini$)/;

/** All files, those of zip files and of zip files in them too; without hidden ones and without the folder around all. */
export async function openedFiles(chosen: readonly PathFile[]): Promise<PathFile[]> {
  const files = (await Promise.all(chosen.map((file) => opened(file, 2)))).flat();
  const root = rootOf(files.map(({ path }) => path));
  return files
    .map(({ path, content }) => ({ path: path.slice(root.length), content }))
    .filter(({ path }) => !HIDDEN.test(path))
    .sort((one, other) => (one.path < other.path ? -1 : 1));
}

/** Notion packs its zip file once more. */
async function opened(file: PathFile, depth: number): Promise<PathFile[]> {
  if (depth === 0 || !/\.zip$/i.test(file.path) || !(await isZip(file.content))) {
    return [file];
  }
  const inner = await unpacked(file.content);
  return (await Promise.all(inner.map((each) => opened(each, depth - 1)))).flat();
}

/** The folder that has all files: the vault's, which has `.obsidian`, or the one of the zip file. */
function rootOf(paths: readonly string[]): string {
  const vault = paths.map((path) => /^(.*?)\.obsidian\//.exec(path)?.[1]).find((root) => root !== undefined);
  if (vault !== undefined && paths.every((path) => path.startsWith(vault))) {
    return vault;
  }
  const shown = paths.filter((path) => !HIDDEN.test(path));
  const [first = ""] = shown;
  const root = first.slice(0, first.indexOf("/") + 1);
  return root !== "" && shown.every((path) => path.startsWith(root)) ? root : "";
}

/** A byte order mark decides, else UTF-8, and where that is impossible Windows-1252. */
export async function textOf(content: Blob): Promise<string> {
  const bytes = new Uint8Array(await content.arrayBuffer());
  const isWide = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  if (isWide) {
    return new TextDecoder(bytes[0] === 0xff ? "utf-16le" : "utf-16be").decode(bytes);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/** `Website.csv` → `Website`. */
export function stemOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1).replace(/\.[^.]+$/, "");
}

export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/") + 1);
}

/** Where `address` leads from a file in `folder`. */
export function resolvedPath(folder: string, address: string): string {
  const parts: string[] = [];
  for (const part of `${address.startsWith("/") ? "" : folder}${address}`.split("/")) {
    if (part === "..") {
      parts.pop();
    } else if (part !== "." && part !== "") {
      parts.push(part);
    }
  }
  return parts.join("/");
}

export function nothingKnown(): UserError {
  return new UserError(
    msg(
      "There is nothing in this that can be imported: it is no export of Todoist, Notion, Obsidian or Adiuva, no Markdown and no calendar.",
    ),
  );
}
