import { type RefObject, useEffect, useRef } from "react";

/**
 * What was last focused inside an element, until the user leaves it; null otherwise. Removing or disabling it does not
 * count as leaving: then the focus is nowhere, and the page has to put it somewhere.
 */
export function useFocusInside(place: RefObject<HTMLElement | null>): RefObject<HTMLElement | null> {
  const inside = useRef<HTMLElement>(null);
  useEffect(() => {
    const element = place.current;
    const enter = ({ target }: FocusEvent) => {
      inside.current = target as HTMLElement;
    };
    const leave = ({ relatedTarget }: FocusEvent) => {
      if (relatedTarget !== null) {
        inside.current = null;
      }
    };
    element?.addEventListener("focusin", enter);
    element?.addEventListener("focusout", leave);
    return () => {
      element?.removeEventListener("focusin", enter);
      element?.removeEventListener("focusout", leave);
    };
  }, [place]);
  return inside;
}

const isFocusNowhere = () => document.activeElement === null || document.activeElement === document.body;

/** Nothing has the focus, or the page as a whole. */
export const isFocusLost = () => isFocusNowhere() || document.activeElement?.id === "main";

/** Whether the focus may be moved when something in `place` is over: the user has not moved it elsewhere meanwhile. */
export function isFocusLostOrIn(place: Element | null): boolean {
  return isFocusLost() || place?.contains(document.activeElement) === true;
}

/**
 * Browsers take the focus from a button that is disabled while it works. Once `isBusy` is over, what had the focus when
 * the returned function was called has it again, if it is still there and the user has not moved the focus.
 */
export function useFocusBack(isBusy: boolean): () => void {
  const before = useRef<Element>(null);
  useEffect(() => {
    if (!isBusy) {
      if (before.current instanceof HTMLElement && isFocusNowhere()) {
        before.current.focus({ preventScroll: true });
      }
      before.current = null;
    }
  }, [isBusy]);
  return () => {
    before.current = document.activeElement;
  };
}

/** Gives the focus to the page itself, so that the next Tab begins at its content and not at the navigation. */
export function focusPage(): void {
  const main = document.getElementById("main");
  if (main !== null) {
    main.tabIndex = -1;
    main.focus({ preventScroll: true });
  }
}
