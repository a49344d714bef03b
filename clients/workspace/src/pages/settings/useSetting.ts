/**
 * A setting that the server stores as a whole and the user changes item by item.
 *
 * A change is kept as an edit until the server has it, so it stays on the page if saving fails. Just before
 * saving, the setting is read again and the edit is applied to it, so a change that was made meanwhile in another
 * window, or by an answer to the assistant, is not lost.
 */
import { useCallback, useRef, useState } from "react";
import type { StoreApi } from "../../rpc/messages";
import { useStore } from "../../rpc/RpcProvider";
import { ask, RestFailure } from "./rest";
import { type Rest, useReconnected, useRest } from "./useRest";

export type Edit<T> = (value: T) => T;

export type Saving =
  | { readonly at: "idle" | "saving" }
  /** `isMerged`: the setting had changed elsewhere, and that change is kept too. */
  | { readonly at: "saved"; readonly isMerged: boolean }
  | { readonly at: "failed"; readonly why: string };

export interface Setting<T> {
  /** Includes changes that are not saved yet. */
  readonly shown: Rest<T>;
  readonly saving: Saving;
  change(edit: Edit<T>): void;
  /** Saves what could not be saved. */
  save(): void;
  /** Forgets what could not be saved. */
  discard(): void;
}

/** `anew` is the value to start with if the server cannot read the stored one (`unreadable`). */
export function useSetting<T>(path: string, anew: T): Setting<T> {
  const store = useStore();
  const stored = useRest<T>(path);
  const isLost = stored.value === undefined && stored.failure?.code === "unreadable";
  const known = stored.value ?? (isLost ? anew : undefined);
  const [edits, setEdits] = useState<readonly Edit<T>[]>([]);
  const [saving, setSaving] = useState<Saving>({ at: "idle" });
  const pending = useRef<readonly Edit<T>[]>([]);
  const last = useRef<T | undefined>(undefined);
  const isSaving = useRef(false);
  last.current = known;

  const note = (left: readonly Edit<T>[]) => {
    pending.current = left;
    setEdits(left);
  };

  const save = async () => {
    if (isSaving.current || pending.current.length === 0) {
      return;
    }
    isSaving.current = true;
    setSaving({ at: "saving" });
    let isMerged = false;
    try {
      while (pending.current.length > 0) {
        const made = pending.current;
        const current = await read(store, path, anew);
        isMerged ||= canonical(current) !== canonical(last.current);
        const saved = await ask<T>(store, "PUT", path, edited(current, made));
        last.current = saved;
        stored.put(saved);
        note(pending.current.slice(made.length));
      }
      setSaving({ at: "saved", isMerged });
    } catch (error) {
      setSaving({ at: "failed", why: (error as RestFailure).message });
    } finally {
      isSaving.current = false;
    }
  };

  useReconnected(() => saving.at === "failed" && void save());
  const discard = useCallback(() => {
    pending.current = [];
    setEdits([]);
    setSaving({ at: "idle" });
  }, []);
  return {
    shown: { ...stored, value: known === undefined ? undefined : edited(known, edits) },
    saving,
    change: (edit) => {
      note([...pending.current, edit]);
      void save();
    },
    save: () => void save(),
    discard,
  };
}

async function read<T>(store: StoreApi, path: string, anew: T): Promise<T> {
  try {
    return await ask<T>(store, "GET", path);
  } catch (error) {
    if (error instanceof RestFailure && error.code === "unreadable") {
      return anew;
    }
    throw error;
  }
}

/** JSON with sorted names. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_name, each: unknown) =>
    each !== null && typeof each === "object" && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([one], [other]) => one.localeCompare(other)))
      : each,
  );
}

function edited<T>(value: T, edits: readonly Edit<T>[]): T {
  return edits.reduce((before, edit) => edit(before), value);
}
