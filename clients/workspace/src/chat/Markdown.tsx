/** Markdown in an answer. What reads it is a chunk of its own; until it is there the text is shown as it is. */
import { type ComponentType, lazy, memo, Suspense } from "react";

const load = () => import("./Rendered");
const Rendered = lazy<ComponentType<{ text: string }>>(() => load().catch(() => ({ default: Unread })));

/** Fetches what reads Markdown, before a conversation needs it. */
export function prepareMarkdown(): void {
  load().catch(() => undefined);
}

export const Markdown = memo(function Markdown({ text }: { text: string }) {
  return (
    <Suspense fallback={<Unread text={text} />}>
      <Rendered text={text} />
    </Suspense>
  );
});

function Unread({ text }: { text: string }) {
  return <p className="markdown unread">{text}</p>;
}
