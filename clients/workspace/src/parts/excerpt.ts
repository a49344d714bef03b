/** The beginning of a Markdown text as plain words, for a card; dots between its paragraphs, headings and items. Pure. */
const LONGEST = 240;
const PARTED = "\n\n";

export function excerptOf(markdown: string): string {
  return markdown
    .slice(0, LONGEST)
    .replace(/^[ \t]*>[ \t]?/gm, "")
    .replace(/^[ \t]*(#+|[-*+]|\d+\.)[ \t]+(\[[ x]\][ \t]+)?/gim, PARTED)
    .replace(/[*_`~]{1,3}(?=\S)|(?<=\S)[*_`~]{1,3}/g, "")
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .split(/\n\s*\n/)
    .map((part) => part.replace(/\s+/g, " ").trim())
    .filter((part) => part !== "")
    .join(" · ");
}
