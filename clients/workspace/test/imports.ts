/** Exports of other programs, as the tests' `imports` folder has them. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { readPlan } from "../src/moving/read";
import type { PathFile } from "../src/moving/zip";

const FOLDER = path.join(import.meta.dirname, "imports");

export const NOW = new Date(2026, 10, 24, 12).getTime();
export const CONTEXT = {
  now: NOW,
  language: "en",
  words: { date: "Date", deadline: "Deadline", partOf: "Part of", repeats: "Repeats", section: "Section" },
} as const;

/** The files of one export, in a folder of their own. */
export function exported(name: string): PathFile[] {
  const root = path.join(FOLDER, name);
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .map((file) => ({
      path: path.relative(FOLDER, file).split(path.sep).join("/"),
      content: new Blob([readFileSync(file)]),
    }));
}

export function textFile(name: string, text: string): PathFile {
  return { path: name, content: new Blob([text]) };
}

export async function planOf(files: readonly PathFile[]) {
  return await readPlan(files, CONTEXT);
}
