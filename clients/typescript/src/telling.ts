/** Calls listeners: one that fails does not keep others from being called. */

export type OnFault = (error: unknown) => void;

/** Throws the error where the platform reports uncaught errors. */
export const raiseLater: OnFault = (error) => {
  queueMicrotask(() => {
    throw error;
  });
};

export function tell<T>(listeners: Iterable<(told: T) => void>, told: T, onFault: OnFault): void {
  for (const listener of [...listeners]) {
    try {
      listener(told);
    } catch (error) {
      onFault(error);
    }
  }
}
