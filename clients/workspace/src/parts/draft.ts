/** Drafts: kept for this tab until they are sent or emptied, even if their component is closed. */
import { useEffect, useRef, useState } from "react";
import { keep } from "./kept";

const KEPT = "draft.";
const OWNER = "drafts.of";

/** Drops the drafts of another user who was signed in here before. Who signs in again finds theirs. */
export function keepDraftsOf(email: string): void {
  const owner = sessionStorage.getItem(OWNER);
  if (owner !== null && owner !== email) {
    for (const key of Object.keys(sessionStorage).filter((each) => each.startsWith(KEPT))) {
      sessionStorage.removeItem(key);
    }
  }
  keep(sessionStorage, OWNER, email);
}

/** `restore` writes a text again that was taken out, before what has been begun since. */
export function useDraft(name: string): [text: string, write: (text: string) => void, restore: (text: string) => void] {
  const key = `${KEPT}${name}`;
  const [text, setText] = useState(() => sessionStorage.getItem(key) ?? "");
  const write = (now: string) => {
    keep(sessionStorage, key, now === "" ? null : now);
    setText(now);
  };
  const restore = (before: string) => {
    const begun = sessionStorage.getItem(key) ?? "";
    write(begun.trim() === "" ? before : `${before}\n${begun}`);
  };
  return [text, write, restore];
}

export interface FormDraft<T> {
  readonly values: T;
  /** The fields that differ from what is stored. */
  readonly changed: readonly string[];
  /** Those of them of which something else is stored by now than when they were begun. */
  readonly overtaken: readonly string[];
  readonly isChanged: boolean;
  set(part: Partial<T>): void;
  /** What is stored again; also after saving. */
  discard(): void;
}

interface Edit {
  readonly value: string;
  /** What was stored when it was begun. */
  readonly base: string;
}

type Fields = Readonly<Record<string, string>>;
type Edits = Readonly<Record<string, Edit>>;

/** A form's values; what differs from `stored` is kept. */
export function useFormDraft<T extends Fields>(name: string, stored: T): FormDraft<T> {
  const key = `${KEPT}${name}`;
  const [edits, setEdits] = useState(() => keptIn(key, stored));
  const change = (now: Edits) => {
    const entries = Object.entries(now).filter(([field, { value }]) => value !== stored[field]);
    const different = Object.fromEntries(entries);
    keep(sessionStorage, key, entries.length === 0 ? null : JSON.stringify(different));
    setEdits(different);
  };
  const set = (part: Partial<T>) => {
    const edited = Object.entries(part as Fields).map(([field, value]) => {
      return [field, { value, base: edits[field]?.base ?? stored[field] ?? "" }] as const;
    });
    change({ ...edits, ...Object.fromEntries(edited) });
  };
  const changed = Object.keys(edits).filter((field) => edits[field]?.value !== stored[field]);
  const isStored = changed.length < Object.keys(edits).length;
  const latest = useRef(change);
  latest.current = change;
  useEffect(() => {
    if (isStored) {
      latest.current(edits);
    }
  }, [isStored, edits]);
  return {
    values: { ...stored, ...Object.fromEntries(Object.entries(edits).map(([field, { value }]) => [field, value])) },
    changed,
    overtaken: changed.filter((field) => edits[field]?.base !== stored[field]),
    isChanged: changed.length > 0,
    set,
    discard: () => change({}),
  };
}

/** Drafts of an earlier version have values alone. */
function keptIn(key: string, stored: Fields): Edits {
  try {
    const kept = JSON.parse(sessionStorage.getItem(key) ?? "{}") as Record<string, Edit | string>;
    return Object.fromEntries(
      Object.entries(kept).map(([field, edit]) => [
        field,
        typeof edit === "string" ? { value: edit, base: stored[field] ?? "" } : edit,
      ]),
    );
  } catch {
    return {};
  }
}
