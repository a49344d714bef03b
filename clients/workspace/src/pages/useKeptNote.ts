/**
 * The text of a note while it is written. It is saved after a pause and on leaving; until it is, this browser keeps it
 * also across a crash. What was changed elsewhere meanwhile is merged, not overwritten.
 */
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { keep } from "../parts/kept";
import type { SavedNote } from "../rpc/messages";

/** How long after the last key the text is saved. */
const PAUSE_MS = 500;

interface Unsaved {
  /** What was stored when it was begun. */
  readonly base: string;
  readonly text: string;
}

export interface KeptNote {
  readonly text: string;
  /** Another one for each text that did not come from `write`. */
  readonly revision: number;
  write(text: string): void;
  /** Both versions of something are in the text. */
  readonly isConflict: boolean;
}

/**
 * `save` resolves to null if it could not be saved: then it is tried again with the next key. What is kept in the browser
 * is found again under the note's `id`.
 */
export function useKeptNote(
  id: string,
  stored: string,
  save: (unsaved: Unsaved) => Promise<SavedNote | null>,
): KeptNote {
  const key = `unsaved.note.${id}`;
  const [{ text, revision }, setShown] = useState(() => ({ text: keptIn(key)?.text ?? stored, revision: 0 }));
  const [isConflict, setConflict] = useState(false);
  const unsaved = useRef<Unsaved | null>(keptIn(key));
  /** What the text in the editor was made of. */
  const origin = useRef(stored);
  const isSaving = useRef(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const latest = useRef(save);
  latest.current = save;
  const flush = useCallback(async () => {
    clearTimeout(timer.current);
    const now = unsaved.current;
    if (now === null || isSaving.current) {
      return;
    }
    isSaving.current = true;
    const saved = await latest.current(now);
    isSaving.current = false;
    if (saved === null) {
      return;
    }
    setConflict((before) => before || saved.isConflict);
    if (unsaved.current === now) {
      unsaved.current = null;
      origin.current = saved.content;
      localStorage.removeItem(key);
      // At once, since the next key may be pressed before the page would be drawn.
      flushSync(() => setShown((before) => shownFrom(before, saved.content)));
    } else if (unsaved.current !== null) {
      // Written on meanwhile: what was saved of it is what the rest goes on from.
      unsaved.current = { base: now.text, text: unsaved.current.text };
      keep(localStorage, key, JSON.stringify(unsaved.current));
      timer.current = setTimeout(() => void flush(), PAUSE_MS);
    }
  }, [key]);
  useLayoutEffect(() => {
    if (unsaved.current === null) {
      origin.current = stored;
      setShown((before) => shownFrom(before, stored));
    }
  }, [stored]);
  useEffect(() => {
    const leave = () => void flush();
    addEventListener("pagehide", leave);
    // What an earlier page could not save any more.
    leave();
    return () => {
      removeEventListener("pagehide", leave);
      leave();
    };
  }, [flush]);
  const write = (now: string) => {
    unsaved.current = { base: unsaved.current?.base ?? origin.current, text: now };
    keep(localStorage, key, JSON.stringify(unsaved.current));
    setShown((before) => ({ ...before, text: now }));
    clearTimeout(timer.current);
    timer.current = setTimeout(() => void flush(), PAUSE_MS);
  };
  return { text, revision, write, isConflict };
}

function shownFrom<T extends { readonly text: string; readonly revision: number }>(before: T, text: string) {
  return before.text === text ? before : { text, revision: before.revision + 1 };
}

function keptIn(key: string): Unsaved | null {
  try {
    const kept = JSON.parse(localStorage.getItem(key) ?? "null") as Unsaved | null;
    return typeof kept?.base === "string" && typeof kept.text === "string" ? kept : null;
  } catch {
    return null;
  }
}
