/** Markdown in an answer. What reads it is a chunk of its own; until it is there the text is shown as it is. */
import { lazy, memo, Suspense } from "react";

const load = () => import("./Rendered");
const Rendered = lazy(load);

/** Fetches what reads Markdown, before a conversation needs it. */
export function prepareMarkdown(): void {
  load().catch(() => undefined);
}

export const Markdown = memo(function Markdown({ text }: { text: string }) {
  return (
    <Suspense fallback={<p className="markdown unread">{text}</p>}>
      <Rendered text={text} />
    </Suspense>
  );
});
