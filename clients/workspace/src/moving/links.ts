/** Links and pictures in Markdown. Pure. */
import { linkKey, linkTo } from "../parts/title_links";

const CODE = /(?:^|\n)(?<fence>```|~~~)[\s\S]*?(?:\n\k<fence>|$)|`[^`\n]*`/g;
const WIKI = /(?<embed>!?)\[\[(?<inside>[^[\]\n]+)\]\]/;
const MARKDOWN =
  /(?<shown>!?)\[(?<words>[^\]\n]*)\]\((?<address><[^>\n]+>|[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)(?: "[^"\n]*")?\)/;
/** Code first, where nothing is a link; then links and embeds of Obsidian, and those of Markdown. */
const LINKS = new RegExp([CODE, WIKI, MARKDOWN].map(({ source }) => source).join("|"), "g");

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

/** Whether an embed names a file, such as a picture, and no row: `pond.png|300`. */
export function namesFile(inside: string): boolean {
  return /\.(?=\d*[a-z])[a-z\d]{2,5}\s*(?:[#|\\].*)?$/i.test(inside);
}

/** What is said of a picture, and how wide Obsidian shows it: `the pond|300`, in a table `the pond\|300`. */
export function pictureWords(said: string): { readonly words: string; readonly widthPx: number | null } {
  const match = /^(.*?)\\?\|(\d{1,4})(?:x\d{1,4})?$/.exec(said);
  return match === null ? { words: said, widthPx: null } : { words: match[1] as string, widthPx: Number(match[2]) };
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

/** The target's own name where there are no other words: links by title have none of their own. */
export function titleLink(title: string, words: string | undefined): string {
  const isSame = words === undefined || linkKey(words) === linkKey(title);
  return isSame ? linkTo(title) : `${words} (${linkTo(title)})`;
}

export interface FoundLinks {
  /** Of rows, in the order in which the text names them. */
  readonly titles: readonly string[];
  /** On the web, or of mail. */
  readonly addresses: readonly { readonly words: string; readonly address: string }[];
  /** By the names of their files. */
  readonly pictures: readonly { readonly words: string; readonly name: string }[];
}

const OUTSIDE = /^(?:https?:|mailto:)/i;
const STORED = /^attachment:([\w.-]+)$/;
/** Without what ends a sentence. */
const BARE = /\bhttps?:\/\/[^\s<>()"]*[^\s<>()".,;:!?]/gi;

/** All links of a text, each target once; those in code are none. */
export function linksIn(text: string): FoundLinks {
  const titles = new Set<string>();
  const addresses = new Map<string, string>();
  const pictures = new Map<string, string>();
  const rest = withLinks(text, {
    wiki: ({ inside, isShown }) => {
      if (!isShown || !namesFile(inside)) {
        titles.add(inside);
      }
      return " ";
    },
    markdown: ({ words, address, isShown }) => {
      const stored = STORED.exec(address)?.[1];
      if (stored !== undefined) {
        pictures.set(stored, pictureWords(words).words);
      } else if (OUTSIDE.test(address) && !isShown) {
        addresses.set(address, words || address);
      }
      return " ";
    },
  });
  for (const [address] of rest.replace(CODE, " ").matchAll(BARE)) {
    addresses.set(address, addresses.get(address) ?? address);
  }
  return {
    titles: [...titles],
    addresses: [...addresses].map(([address, words]) => ({ words, address })),
    pictures: [...pictures].map(([name, words]) => ({ words, name })),
  };
}
