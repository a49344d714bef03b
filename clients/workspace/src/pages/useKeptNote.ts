/**
 * The text of a note while it is written. It is saved after a pause and on leaving; until it is, this browser keeps it
 * also across a crash. What was changed elsewhere meanwhile is merged, not overwritten.
 */
import { useCallback, useEffect, useRef, useState } from "react";
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
  write(text: string): void;
  /** Both versions of something are in the text. */
  readonly isConflict: boolean;
}

/** `save` resolves to null if it could not be saved: then it is tried again with the next key. */
export function useKeptNote(
  name: string,
  stored: string,
  save: (unsaved: Unsaved) => Promise<SavedNote | null>,
): KeptNote {
  const key = `unsaved.note.${name}`;
  const [text, setText] = useState(() => keptIn(key)?.text ?? stored);
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
      setText(saved.content);
    } else if (unsaved.current !== null) {
      // Written on meanwhile: what was saved of it is what the rest goes on from.
      unsaved.current = { base: now.text, text: unsaved.current.text };
      timer.current = setTimeout(() => void flush(), PAUSE_MS);
    }
  }, [key]);
  useEffect(() => {
    if (unsaved.current === null) {
      origin.current = stored;
      setText(stored);
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
    localStorage.setItem(key, JSON.stringify(unsaved.current));
    setText(now);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => void flush(), PAUSE_MS);
  };
  return { text, write, isConflict };
}

function keptIn(key: string): Unsaved | null {
  try {
    const kept = JSON.parse(localStorage.getItem(key) ?? "null") as Unsaved | null;
    return typeof kept?.base === "string" && typeof kept.text === "string" ? kept : null;
  } catch {
    return null;
  }
}
