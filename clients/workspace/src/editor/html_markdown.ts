import rehypeParse from "rehype-parse";
import rehypeRemark from "rehype-remark";
import remarkGfm from "remark-gfm";
import remarkStringify from "remark-stringify";
import { unified } from "unified";

const PROCESSOR = unified()
  .use(rehypeParse)
  .use(rehypeRemark)
  .use(remarkGfm)
  .use(remarkStringify, { bullet: "-", emphasis: "*", listItemIndent: "one" });

export function toMarkdown(html: string): string {
  return String(PROCESSOR.processSync(html)).replace(/\n+$/, "");
}
