/** A virtual list, in columns if there is room: only the part that is visible in its `Scroller` is drawn. */
import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useScroller } from "./Scroller";
import { useWidth } from "./useWidth";

/** How many pixels above and below the visible part are drawn too: enough for the next key or turn of the wheel. */
const BEYOND_PX = 600;

export interface LongListProps<T extends { readonly id: string | null }> {
  readonly label: string;
  readonly items: readonly T[];
  /** In pixels; in columns all items have the height of the first. */
  heightOf(item: T): number;
  /** The minimum width of a column, in pixels; a single column without it. */
  readonly columnPx?: number;
  readonly gapPx?: number;
  children(item: T): ReactNode;
}

export function LongList<T extends { readonly id: string | null }>(props: LongListProps<T>) {
  const { label, items, heightOf, columnPx, gapPx = 0, children } = props;
  const list = useRef<HTMLUListElement>(null);
  const { columns, width, offset } = usePlace(list, columnPx, gapPx);
  const { rows, whole } = useRowsInSight({ items, columns, heightOf, gapPx, offset });
  const wide = (width - (columns - 1) * gapPx) / columns;
  return (
    <ul className="long" ref={list} aria-label={label} style={{ height: whole }}>
      {rows.flatMap(({ row, start, height }) =>
        items.slice(row * columns, (row + 1) * columns).map((item, column) => (
          <li
            key={item.id}
            aria-setsize={items.length}
            aria-posinset={row * columns + column + 1}
            style={{
              height,
              width: columns === 1 ? "100%" : wide,
              transform: `translate(${column * (wide + gapPx)}px, ${start}px)`,
            }}
          >
            {children(item)}
          </li>
        )),
      )}
    </ul>
  );
}

interface PlacedRow {
  readonly row: number;
  /** Pixels from the top of the list. */
  readonly start: number;
  readonly height: number;
}

interface Rows<T extends { readonly id: string | null }> extends Pick<LongListProps<T>, "items" | "heightOf"> {
  readonly columns: number;
  readonly gapPx: number;
  readonly offset: number;
}

function useRowsInSight<T extends { readonly id: string | null }>(given: Rows<T>) {
  const { items, columns, gapPx, offset } = given;
  const scroller = useScroller();
  const isPrinted = useIsPrinted();
  const count = Math.ceil(items.length / columns);
  const heightOf = (row: number) => given.heightOf(items[row * columns] as T);
  const first = count === 0 ? 0 : heightOf(0);
  // Another function belongs to other rows, or to other heights of the same, so heights are measured again.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  const keyOf = useCallback((row: number) => items[row * columns]?.id ?? row, [items, columns, first]);
  const inSight = useVirtualizer({
    count: scroller === undefined ? 0 : count,
    getScrollElement: () => scroller ?? null,
    estimateSize: heightOf,
    overscan: count === 0 ? 0 : Math.ceil(BEYOND_PX / first),
    gap: gapPx,
    scrollMargin: offset,
    getItemKey: keyOf,
  });
  if (scroller === undefined || isPrinted) {
    return placed(count, heightOf, gapPx);
  }
  const rows = inSight
    .getVirtualItems()
    .map(({ index, start, size }): PlacedRow => ({ row: index, start: start - offset, height: size }));
  return { rows, whole: inSight.getTotalSize() };
}

/** Draws all items, if there is no `Scroller` or on paper. */
function placed(count: number, heightOf: (row: number) => number, gapPx: number) {
  const rows: PlacedRow[] = [];
  let end = 0;
  for (let row = 0; row < count; row += 1) {
    const height = heightOf(row);
    rows.push({ row, start: end, height });
    end += height + gapPx;
  }
  return { rows, whole: Math.max(0, end - gapPx) };
}

function useIsPrinted(): boolean {
  const [isPrinted, setPrinted] = useState(false);
  useEffect(() => {
    // Drawn before the event is over: then it is printed.
    const begin = () => flushSync(() => setPrinted(true));
    const end = () => setPrinted(false);
    addEventListener("beforeprint", begin);
    addEventListener("afterprint", end);
    return () => {
      removeEventListener("beforeprint", begin);
      removeEventListener("afterprint", end);
    };
  }, []);
  return isPrinted;
}

/** The list's width, and its distance from the top of the scroller: content above it may grow. */
function usePlace(list: RefObject<HTMLElement | null>, columnPx: number | undefined, gapPx: number) {
  const scroller = useScroller();
  const width = useWidth(list);
  const [offset, setOffset] = useState(0);
  useLayoutEffect(() => {
    const element = list.current;
    if (element !== null && scroller) {
      const top = element.getBoundingClientRect().top - scroller.getBoundingClientRect().top;
      setOffset(Math.round(top + scroller.scrollTop));
    }
  });
  const columns = columnPx === undefined ? 1 : Math.max(1, Math.floor((width + gapPx) / (columnPx + gapPx)));
  return { columns, width, offset };
}
