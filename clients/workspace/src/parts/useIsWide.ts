import { useSyncExternalStore } from "react";

/** Whether the window is at least so many pixels wide. */
export function useIsWide(pixels: number): boolean {
  const query = matchMedia(`(min-width: ${pixels}px)`);
  return useSyncExternalStore(
    (changed) => {
      query.addEventListener("change", changed);
      return () => query.removeEventListener("change", changed);
    },
    () => query.matches,
  );
}
