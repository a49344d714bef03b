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

/** Nothing has the focus, or the page as a whole. */
export const isFocusLost = () => document.activeElement === null || document.activeElement.matches("body, #main");

/** Whether the focus may be moved when something in `place` is over: the user has not moved it elsewhere meanwhile. */
export function isFocusLostOrIn(place: Element | null): boolean {
  return isFocusLost() || place?.contains(document.activeElement) === true;
}

/** Gives the focus to the page itself, so that the next Tab begins at its content and not at the navigation. */
export function focusPage(): void {
  const main = document.getElementById("main");
  if (main !== null) {
    main.tabIndex = -1;
    main.focus({ preventScroll: true });
  }
}
