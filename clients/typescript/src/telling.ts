/** Telling listeners: one that fails keeps nobody else from being told, and breaks nothing here. */

export type OnFault = (error: unknown) => void;

/** Throws the error where the platform reports what nobody caught. */
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
