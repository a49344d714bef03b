/** Links by title, `[[Title]]`, from notes and descriptions to notes, projects, tasks and checkpoints. Pure. */
import { foldedText } from "./folding";

/** The link to what has this title. Brackets would end it, so that it has none. */
export function linkTo(title: string): string {
  return `[[${linkName(title)}]]`;
}

/** A title as links say it. */
export function linkName(title: string): string {
  return title.replace(/[[\]\n]/g, "").trim();
}

/** What a title and the link to it have in common. */
export function linkKey(title: string): string {
  return foldedText(linkName(title));
}

/** Whether a text links to the title that has this `key`. */
export function hasLink(text: string, key: string): boolean {
  return text.includes("[[") && foldedText(text).includes(`[[${key}]]`);
}
