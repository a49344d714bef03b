/** Days as people see them, and as date fields hold them. Moments are milliseconds since 1970. */
const DAY_MS = 24 * 60 * 60 * 1000;
const NOON_HOUR = 12;

/** `Today`, `Tomorrow`, `24 Nov`, with a year that is not the present one. */
export function dayShown(moment: number, now = Date.now()): string {
  const days = Math.round((startOfDay(moment) - startOfDay(now)) / DAY_MS);
  if (days >= -1 && days <= 1) {
    return ["Yesterday", "Today", "Tomorrow"][days + 1] as string;
  }
  const isThisYear = new Date(moment).getFullYear() === new Date(now).getFullYear();
  const year = isThisYear ? {} : ({ year: "numeric" } as const);
  return new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", ...year }).format(moment);
}

export function isPast(moment: number, now = Date.now()): boolean {
  return startOfDay(moment) < startOfDay(now);
}

/** As `<input type="date">` has it; empty for none. */
export function dayField(moment: number | null): string {
  if (moment === null) {
    return "";
  }
  const date = new Date(moment);
  const two = (number: number) => String(number).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** Noon of the day in a date field, so that no time zone makes it another; null for none. */
export function momentOf(field: string): number | null {
  const [year, month, day] = field.split("-").map(Number);
  if (year === undefined || month === undefined || day === undefined || Number.isNaN(day)) {
    return null;
  }
  return new Date(year, month - 1, day, NOON_HOUR).getTime();
}

export function startOfDay(moment: number): number {
  return new Date(moment).setHours(0, 0, 0, 0);
}
