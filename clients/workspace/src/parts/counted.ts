/** Nouns with their number. Pure. */

/** `1 task`, `2 tasks`. */
export function counted(count: number, thing: string): string {
  return `${count} ${named(count, thing)}`;
}

/** `task` of one, else `tasks`. */
export function named(count: number, thing: string): string {
  return count === 1 ? thing : `${thing}s`;
}
