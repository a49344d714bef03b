import { type RefObject, useLayoutEffect, useRef } from "react";
import { isFocusLost } from "./useFocusInside";

/**
 * For a button that a form replaces while it is open: once the form is closed, the button has the focus again, unless
 * the user is elsewhere by then.
 */
export function useOpener(isOpen: boolean): RefObject<HTMLButtonElement | null> {
  const opener = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(false);
  useLayoutEffect(() => {
    if (!isOpen && wasOpen.current && isFocusLost()) {
      opener.current?.focus();
    }
    wasOpen.current = isOpen;
  }, [isOpen]);
  return opener;
}
