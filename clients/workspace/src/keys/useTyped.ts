/** What is typed while the command palette is opened and not there yet, as its script may have to be fetched. */
import { useCallback, useEffect, useRef } from "react";
import { isInDialog } from "./editing";

export interface Typed {
  readonly text: string;
  /** Whether Enter followed. */
  readonly isEntered: boolean;
}

const NOTHING: Typed = { text: "", isEntered: false };

/**
 * Collects the keys until a dialog is open; Escape closes. The page below gets none of them, wherever its focus is. What
 * is returned reads them, once.
 */
export function useTyped(isOpening: boolean, close: () => void): () => Typed {
  const typed = useRef(NOTHING);
  useEffect(() => {
    if (!isOpening) {
      return;
    }
    const press = (event: KeyboardEvent) => {
      const now = isInDialog() ? null : afterKey(typed.current, event);
      if (now !== null) {
        event.preventDefault();
        event.stopPropagation();
        typed.current = now;
        if (event.key === "Escape") {
          close();
        }
      }
    };
    document.addEventListener("keydown", press, true);
    return () => {
      document.removeEventListener("keydown", press, true);
      typed.current = NOTHING;
    };
  }, [isOpening, close]);
  return useCallback(() => {
    const all = typed.current;
    typed.current = NOTHING;
    return all;
  }, []);
}

/** Null if the key is not one of the line. */
function afterKey({ text, isEntered }: Typed, { key, ctrlKey, metaKey, altKey }: KeyboardEvent): Typed | null {
  if (ctrlKey || metaKey || altKey) {
    return null;
  }
  const letters = [...text];
  switch (key) {
    case "Escape":
      return NOTHING;
    case "Enter":
      return { text, isEntered: true };
    case "Backspace":
      return { text: letters.slice(0, -1).join(""), isEntered };
    default:
      return [...key].length === 1 ? { text: text + key, isEntered } : null;
  }
}
