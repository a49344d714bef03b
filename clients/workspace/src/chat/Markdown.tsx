/**
 * Markdown, made inert: its author may be wrong, or malicious.
 *
 * It becomes React elements and never HTML: tags are shown as text. Links lead to the web or to a mail address
 * and nowhere else; images become links, so that showing an answer contacts no other server.
 */
import { memo } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";

const LINKED = /^(https?:|mailto:)/i;

const COMPONENTS: Components = {
  a: ({ href, children }) => <OutwardLink address={href}>{children}</OutwardLink>,
  img: ({ src, alt }) => (
    <OutwardLink address={typeof src === "string" ? src : undefined}>
      {alt === "" || alt === undefined ? "picture" : alt}
    </OutwardLink>
  ),
  table: ({ children }) => (
    <div className="scrolls-wide">
      <table className="data">{children}</table>
    </div>
  ),
  // Alignment would be an inline style; the checkboxes of task lists have no label.
  th: ({ children }) => <th>{children}</th>,
  td: ({ children }) => <td>{children}</td>,
  input: ({ checked }) => <span>{checked ? "☑" : "☐"}</span>,
};
const PLUGINS = [remarkGfm];

export const Markdown = memo(function Markdown({ text }: { text: string }) {
  return (
    <div className="markdown">
      <ReactMarkdown remarkPlugins={PLUGINS} components={COMPONENTS} urlTransform={outward}>
        {text}
      </ReactMarkdown>
    </div>
  );
});

/** The address, if a link may have it. */
export function outward(address: string): string {
  return LINKED.test(address) ? address : "";
}

function OutwardLink({ address, children }: { address: string | undefined; children?: React.ReactNode }) {
  return address ? (
    <a href={address} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  ) : (
    <span>{children}</span>
  );
}
