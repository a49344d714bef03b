/** What the user has just done to rows, shown for some seconds, with a button that undoes it and a link to the row. */
export interface Announced {
  readonly text: string;
  /** The entry of the journal to undo. */
  readonly entry?: string;
  /** The address of the row. */
  readonly place?: string;
}

const listeners = new Set<(announced: Announced) => void>();

export function announce(announced: Announced): void {
  for (const listener of [...listeners]) {
    listener(announced);
  }
}

/** Calls `listener` with each; returns a function that unsubscribes it. */
export function onAnnounced(listener: (announced: Announced) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
