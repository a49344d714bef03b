/** Follows the end of the conversation, unless the user has scrolled up; then the visible part stays in place. */
import { type RefObject, type UIEvent, useCallback, useEffect, useRef, useState } from "react";

/** If the user has scrolled up further than this from the end, in pixels, the view stays there. */
const NEAR_END_PX = 80;

export interface Scrolling {
  readonly scroller: RefObject<HTMLElement | null>;
  readonly content: RefObject<HTMLDivElement | null>;
  readonly foot: RefObject<HTMLDivElement | null>;
  onScroll(event: UIEvent): void;
  /** Whether the end is out of sight. */
  readonly isAway: boolean;
  toEnd(): void;
  /** The next change of the content is above what is visible. */
  stayHere(): void;
}

/** `isEmpty`: what is shown instead of messages is read from its beginning. */
export function useScrolling(isEmpty: boolean): Scrolling {
  const scroller = useRef<HTMLElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const foot = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  /** Where the last scrolling led, in pixels from the top. */
  const lastTop = useRef(0);
  const heightBefore = useRef<number | null>(null);
  const [isAway, setAway] = useState(false);
  const toEnd = useCallback(() => {
    isAtEnd.current = true;
    setAway(false);
    if (scroller.current !== null) {
      scroller.current.scrollTop = scroller.current.scrollHeight;
    }
  }, []);
  const settle = useCallback(() => {
    const element = scroller.current;
    if (element === null) {
      return;
    }
    if (heightBefore.current !== null && heightBefore.current !== element.scrollHeight) {
      element.scrollTop += element.scrollHeight - heightBefore.current;
      heightBefore.current = null;
    } else if (isAtEnd.current && !isEmpty) {
      element.scrollTop = element.scrollHeight;
    }
    lastTop.current = element.scrollTop;
  }, [isEmpty]);
  useRoomForFoot(scroller, foot, settle);
  // After layout and before paint, so that no layout is forced for each piece of an answer.
  useResized(content, settle);
  useResized(scroller, settle);
  const onScroll = ({ currentTarget: { scrollHeight, scrollTop, clientHeight } }: UIEvent) => {
    const isNear = isEmpty || scrollHeight - scrollTop - clientHeight < NEAR_END_PX;
    // What has grown since is no reason to stay: only who scrolls up leaves the end.
    isAtEnd.current = isNear || (isAtEnd.current && scrollTop >= lastTop.current);
    lastTop.current = scrollTop;
    setAway(!isAtEnd.current && !isEmpty);
  };
  const stayHere = useCallback(() => {
    heightBefore.current = scroller.current?.scrollHeight ?? null;
  }, []);
  return { scroller, content, foot, onScroll, isAway, toEnd, stayHere };
}

/** The text field lies over the messages, so below them there is as much room as it takes. */
function useRoomForFoot(
  scroller: RefObject<HTMLElement | null>,
  foot: RefObject<HTMLElement | null>,
  settle: () => void,
): void {
  const measure = useCallback(() => {
    scroller.current?.style.setProperty("--foot", `${foot.current?.offsetHeight ?? 0}px`);
    settle();
  }, [scroller, foot, settle]);
  useResized(foot, measure);
}

function useResized(of: RefObject<HTMLElement | null>, act: () => void): void {
  useEffect(() => {
    const element = of.current;
    if (element === null || typeof ResizeObserver === "undefined") {
      return;
    }
    const observer = new ResizeObserver(act);
    observer.observe(element);
    return () => observer.disconnect();
  }, [of, act]);
}
