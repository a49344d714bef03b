/** The beginning of a Markdown text as plain words, for a card. Pure. */
const LONGEST = 240;

export function excerptOf(markdown: string): string {
  return markdown
    .slice(0, LONGEST)
    .replace(/^\s*(#+|>|[-*+]|\d+\.)\s+/gm, "")
    .replace(/[*_`~]{1,3}(?=\S)|(?<=\S)[*_`~]{1,3}/g, "")
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/\s+/g, " ")
    .trim();
}
