/** Undoing and doing again, with what was in the way. */
import type { UndoConflict, UndoWhat } from "@adiuva/client";
import { useState } from "react";
import { useStore, useTask } from "../rpc/RpcProvider";

export interface Undoing {
  readonly isBusy: boolean;
  readonly error: string;
  /** What the last undo left as it is; null if there was nothing. */
  readonly conflicts: readonly UndoConflict[] | null;
  /** Undoes all but the conflicts; undefined if that was done. */
  readonly undoRest: (() => void) | undefined;
  undo(what: UndoWhat): void;
  /** Undoes the undos with these ids. */
  redo(ids: readonly string[]): void;
  close(): void;
}

interface Stuck {
  readonly conflicts: readonly UndoConflict[];
  readonly whats: readonly UndoWhat[];
  readonly isPartial: boolean;
}

export function useUndo(): Undoing {
  const store = useStore();
  const { run, isBusy, error } = useTask();
  const [stuck, setStuck] = useState<Stuck | null>(null);
  const undoAll = (whats: readonly UndoWhat[], isPartial = false) => {
    void run(async () => {
      const conflicts: UndoConflict[] = [];
      for (const what of whats) {
        conflicts.push(...(await store.undo(what, isPartial)).conflicts);
      }
      setStuck(conflicts.length === 0 ? null : { conflicts, whats, isPartial });
    });
  };
  return {
    isBusy,
    error,
    conflicts: stuck?.conflicts ?? null,
    undoRest: stuck === null || stuck.isPartial ? undefined : () => undoAll(stuck.whats, true),
    undo: (what) => undoAll([what]),
    redo: (ids) => undoAll(ids.map((call) => ({ call }))),
    close: () => setStuck(null),
  };
}
