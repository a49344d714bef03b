/** Days in the local time zone, as milliseconds since 1970. */
export const DAY_MS = 24 * 60 * 60 * 1000;

export function startOfDay(moment: number): number {
  return new Date(moment).setHours(0, 0, 0, 0);
}

/** Midnight of the day that is `days` days from `now`, also across clock changes. */
export function daysFrom(now: number, days: number): number {
  const date = new Date(now);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + days).getTime();
}
