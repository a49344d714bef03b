/**
 * Markdown, made inert: its author may be wrong, or malicious.
 *
 * It becomes React elements and never HTML: tags are shown as text. Links lead to the web or to a mail address
 * and nowhere else; images become links, so that showing an answer contacts no other server.
 */
import type { ReactNode } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";
import { TableBlock } from "../blocks/TableBlock";
import { t } from "../i18n/translate";
import { OutwardLink } from "../parts/OutwardLink";
import { Code } from "./Code";
import { outward } from "./links";
import { codeIn, type Node, tableIn, textOf } from "./markdown_nodes";
import { namesTask, useTasksOfAnswer } from "./tasks_of_answer";

const COMPONENTS: Components = {
  a: ({ node, href, children }) => (
    <AnyLink address={href} words={node === undefined ? "" : textOf(node)}>
      {children}
    </AnyLink>
  ),
  img: ({ src, alt }) => {
    const words = alt === "" || alt === undefined ? t("picture") : alt;
    return (
      <AnyLink address={typeof src === "string" ? src : undefined} words={words}>
        {words}
      </AnyLink>
    );
  },
  table: ({ node, children }) => <Table node={node}>{children}</Table>,
  pre: ({ node, children }) => {
    const found = codeIn(node);
    return found === null ? <pre>{children}</pre> : <Code {...found} />;
  },
  // Alignment would be an inline style; the checkboxes of task lists have no label.
  th: ({ children }) => <th>{children}</th>,
  td: ({ children }) => <td>{children}</td>,
  input: ({ checked }) => <span>{checked ? "☑" : "☐"}</span>,
};
const PLUGINS = [remarkGfm];

export default function Rendered({ text }: { text: string }) {
  return (
    <div className="markdown">
      <ReactMarkdown remarkPlugins={PLUGINS} components={COMPONENTS} urlTransform={outward}>
        {text}
      </ReactMarkdown>
    </div>
  );
}

/** A table that names tasks of the answer follows them. */
function Table({ node, children }: { node: Node | undefined; children: ReactNode }) {
  const tasks = useTasksOfAnswer();
  const data = node === undefined ? null : tableIn(node);
  if (data?.rows.some((row) => row.some((cell) => namesTask(tasks, cell)))) {
    return <TableBlock data={data} />;
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="scrolls-wide" tabIndex={0} aria-label={t("Table")}>
      <table className="data">{children}</table>
    </section>
  );
}

function AnyLink({ address, words, children }: { address?: string | undefined; words: string; children?: ReactNode }) {
  return address ? (
    <OutwardLink address={address} words={words}>
      {children}
    </OutwardLink>
  ) : (
    <span>{children}</span>
  );
}
