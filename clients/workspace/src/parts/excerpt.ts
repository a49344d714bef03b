/** What of a long text is shown. Pure. */
const LONGEST = 240;
const PARTED = "\n\n";

/** The beginning of a Markdown text as plain words, for a card; dots between its paragraphs, headings and items. */
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

/** Characters around a word that was found. */
const AROUND = 40;

/** `text` around the `length` characters from `at`, on one line. */
export function around(text: string, at: number, length: number): string {
  const from = Math.max(0, at - AROUND);
  const to = at + length + AROUND;
  return `${from > 0 ? "…" : ""}${text.slice(from, to).replace(/\s+/g, " ").trim()}${to < text.length ? "…" : ""}`;
}
