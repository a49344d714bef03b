/** Drafts: kept for this tab until they are sent or emptied, even if their component is closed. */
import { useEffect, useState } from "react";

/** `restore` writes a text again that was taken out, before what has been begun since. */
export function useDraft(name: string): [text: string, write: (text: string) => void, restore: (text: string) => void] {
  const key = `draft.${name}`;
  const [text, setText] = useState(() => sessionStorage.getItem(key) ?? "");
  const write = (now: string) => {
    if (now === "") {
      sessionStorage.removeItem(key);
    } else {
      sessionStorage.setItem(key, now);
    }
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
  readonly isChanged: boolean;
  set(part: Partial<T>): void;
  /** What is stored again; also after saving. */
  discard(): void;
}

/** A form's values; what differs from `stored` is kept. */
export function useFormDraft<T extends Readonly<Record<string, string>>>(name: string, stored: T): FormDraft<T> {
  const key = `draft.${name}`;
  const [edited, setEdited] = useState<Partial<T>>(() => keptIn(key));
  const set = (part: Partial<T>) => {
    const now = { ...edited, ...part };
    const different = Object.entries(now).filter(([field, value]) => value !== stored[field]);
    if (different.length === 0) {
      sessionStorage.removeItem(key);
    } else {
      sessionStorage.setItem(key, JSON.stringify(Object.fromEntries(different)));
    }
    setEdited(Object.fromEntries(different) as Partial<T>);
  };
  const discard = () => {
    sessionStorage.removeItem(key);
    setEdited({});
  };
  const changed = Object.keys(edited).filter((field) => edited[field] !== stored[field]);
  const isStored = changed.length === 0 && Object.keys(edited).length > 0;
  useEffect(() => {
    if (isStored) {
      sessionStorage.removeItem(key);
      setEdited({});
    }
  }, [isStored, key]);
  return { values: { ...stored, ...edited }, changed, isChanged: changed.length > 0, set, discard };
}

function keptIn<T>(key: string): Partial<T> {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? "{}") as Partial<T>;
  } catch {
    return {};
  }
}
