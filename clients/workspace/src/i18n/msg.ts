/** Marks a text that is translated later: `const NAMES = [msg("Tasks")]`, and `t(name)` where it is shown. */
export function msg(text: string): string {
  return text;
}
