/** What the browser keeps for a page beside the data. */
import { msg } from "../i18n/msg";

/** Said of a choice that is not kept. */
export const FULL = msg("This browser has no room left to keep this choice.");

/** Null removes it. A full storage leaves what it had, and false is returned; what calls this goes on. */
export function keep(storage: Storage, key: string, value: string | null): boolean {
  try {
    if (value === null) {
      storage.removeItem(key);
    } else {
      storage.setItem(key, value);
    }
    return true;
  } catch {
    // Full, as by one note of millions of letters.
    return false;
  }
}
