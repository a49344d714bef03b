/** What the browser keeps for a page beside the data. */

/** Null removes it. A full storage leaves what it had: it is only not found again, and what calls this goes on. */
export function keep(storage: Storage, key: string, value: string | null): void {
  try {
    if (value === null) {
      storage.removeItem(key);
    } else {
      storage.setItem(key, value);
    }
  } catch {
    // Full, as by one note of millions of letters.
  }
}
