/** Marks texts without translating them: it needs nothing, so that the store can use it. */

/** Marks a text that is translated later: `const NAMES = [msg("Tasks")]`, and `t(name)` where it is shown. */
export function msg(text: string): string {
  return text;
}
