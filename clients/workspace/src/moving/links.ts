/** Links and pictures in Markdown. Pure. */

/** Code first, where nothing is a link; then links and embeds of Obsidian, and those of Markdown. */
const LINKS =
  /(?:^|\n)(?<fence>```|~~~)[\s\S]*?(?:\n\k<fence>|$)|`[^`\n]*`|(?<embed>!?)\[\[(?<inside>[^[\]\n]+)\]\]|(?<shown>!?)\[(?<words>[^\]\n]*)\]\((?<address><[^>\n]+>|[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)(?: "[^"\n]*")?\)/g;

/** `[[inside]]`, or `![[inside]]`, which shows what it names. */
export interface WikiLink {
  readonly all: string;
  readonly isShown: boolean;
  readonly inside: string;
}

/** `[words](address)`, or `![words](address)`, which shows a picture. */
export interface MarkdownLink {
  readonly all: string;
  readonly isShown: boolean;
  readonly words: string;
  readonly address: string;
}

/** The text with other links, but for those in code. */
export function withLinks(
  text: string,
  rewrite: { wiki: (link: WikiLink) => string; markdown: (link: MarkdownLink) => string },
): string {
  return text.replace(LINKS, (all: string, ...rest: unknown[]) => {
    const { embed, inside, shown, words, address } = rest.at(-1) as Readonly<Record<string, string | undefined>>;
    if (inside !== undefined) {
      return rewrite.wiki({ all, isShown: embed === "!", inside });
    }
    if (address !== undefined) {
      return rewrite.markdown({
        all,
        isShown: shown === "!",
        words: words ?? "",
        address: address.replace(/^<|>$/g, ""),
      });
    }
    return all;
  });
}

/** The same link to another place. */
export function leadingTo({ all, address }: MarkdownLink, place: string): string {
  return all.replace(address, () => place);
}

/** The target's own name where there are no other words: links to notes have none of their own here. */
export function noteLink(title: string, words: string | undefined): string {
  const isSame = words === undefined || words.toLowerCase() === title.toLowerCase();
  return isSame ? `[[${title}]]` : `${words} ([[${title}]])`;
}
