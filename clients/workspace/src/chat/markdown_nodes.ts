/** Code and tables in a Markdown tree. Pure. */
import type { TableData } from "../blocks/TableBlock";

/** The part of a hast node that is used here. */
export interface Node {
  readonly type: string;
  readonly tagName?: string;
  readonly value?: string;
  readonly children?: readonly Node[];
  readonly properties?: Readonly<Record<string, unknown>>;
}

const LANGUAGE = "language-";

/** The code in a `pre`, and the language that its fence names. */
export function codeIn(pre: Node | undefined): { code: string; language: string } | null {
  const code = pre?.children?.find(({ tagName }) => tagName === "code");
  if (code === undefined) {
    return null;
  }
  const classes = code.properties?.className;
  const named = Array.isArray(classes) ? classes.map(String).find((name) => name.startsWith(LANGUAGE)) : undefined;
  return { code: textOf(code).replace(/\n$/, ""), language: named?.slice(LANGUAGE.length) ?? "" };
}

/** The texts in a table's cells. */
export function tableIn(table: Node): TableData {
  const [headers = [], ...rows] = descendants(table, "tr").map((row) =>
    (row.children ?? []).filter(({ tagName }) => tagName === "th" || tagName === "td").map(textOf),
  );
  return { headers, rows };
}

function descendants(node: Node, tagName: string): Node[] {
  return (node.children ?? []).flatMap((child) => (child.tagName === tagName ? [child] : descendants(child, tagName)));
}

/** The text in a node. */
export function textOf(node: Node): string {
  return node.value ?? (node.children ?? []).map(textOf).join("");
}
