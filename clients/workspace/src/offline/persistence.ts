/** Whether the browser may delete the data when the disk is full. */
import { useEffect, useState } from "react";

/** Asks the browser to keep the data until the user deletes it; true if it does. Firefox asks the user. */
export async function askToKeep(): Promise<boolean> {
  return (await navigator.storage?.persist?.().catch(() => false)) ?? false;
}

/** Null until it is known. */
export function useIsKept(): [isKept: boolean | null, ask: () => Promise<void>] {
  const [isKept, setKept] = useState<boolean | null>(null);
  useEffect(() => {
    navigator.storage?.persisted?.().then(setKept, () => undefined);
  }, []);
  return [isKept, async () => setKept(await askToKeep())];
}
