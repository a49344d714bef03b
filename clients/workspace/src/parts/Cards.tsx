/** Cards in as many columns as fit. */
import type { ReactNode } from "react";
import { Link } from "wouter";
import { LongList } from "./LongList";

const COLUMN_PX = 230;
const GAP_PX = 14;
/** The height of a card without its lines. */
const AROUND_PX = 66;
const LINE_PX = 22;

export interface CardShown {
  readonly id: string;
  readonly href: string;
  readonly title: string;
  readonly text?: string;
}

/** `lines` is the number of lines for title and text; `facts` are below them. */
export function Cards<T extends { readonly id: string }>({
  label,
  level = 2,
  items,
  lines,
  cardOf,
  facts,
}: {
  label: string;
  /** Of the titles, as headings. */
  level?: 2 | 3;
  items: readonly T[];
  lines: number;
  cardOf(item: T): Omit<CardShown, "id">;
  facts(item: T): ReactNode;
}) {
  const Heading = level === 2 ? "h2" : "h3";
  const height = AROUND_PX + lines * LINE_PX;
  return (
    <LongList label={label} items={items} heightOf={() => height} columnPx={COLUMN_PX} gapPx={GAP_PX}>
      {(item) => {
        const { href, title, text = "" } = cardOf(item);
        return (
          <Link className="card" href={href}>
            <div className="says">
              <Heading>{title}</Heading>
              {text !== "" && <p>{text}</p>}
            </div>
            <div className="facts">{facts(item)}</div>
          </Link>
        );
      }}
    </LongList>
  );
}
