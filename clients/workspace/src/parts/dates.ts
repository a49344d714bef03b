/**
 * Days as users read them and as date fields hold them. Times are milliseconds since 1970; a day without a time is its
 * midnight in the local time zone, as for the assistant.
 */
import { capitalized, dateFormat, daysAwayShown } from "../i18n/formats";
import { DAY_MS, startOfDay } from "./days";

export { daysFrom, startOfDay } from "./days";

const DAY = { day: "numeric", month: "short" } as const;
const DAY_OF_YEAR = { ...DAY, year: "numeric" } as const;
const TIME = { hour: "2-digit", minute: "2-digit" } as const;

/** `Today`, `Tomorrow`, else the date. */
export function dayShown(moment: number, now = Date.now()): string {
  const days = Math.round((startOfDay(moment) - startOfDay(now)) / DAY_MS);
  if (days >= -1 && days <= 1) {
    return capitalized(daysAwayShown(days));
  }
  return dateShown(moment, now);
}

/** `24 Nov`, with the year unless it is the current one. */
function dateShown(moment: number, now: number): string {
  const isThisYear = new Date(moment).getFullYear() === new Date(now).getFullYear();
  return dateFormat(isThisYear ? DAY : DAY_OF_YEAR).format(moment);
}

/** `29 Mar, 10:00`, as in lists of what happened. */
export function stampShown(moment: number, now = Date.now()): string {
  return `${dateShown(moment, now)}, ${timeShown(moment)}`;
}

/** A date on an axis: `24 Nov`, `Nov`, or `2026`. */
export function tickShown(moment: number, unit: "day" | "month" | "year"): string {
  const parts = {
    day: { day: "numeric", month: "short" },
    month: { month: "short" },
    year: { year: "numeric" },
  } as const;
  return dateFormat(parts[unit]).format(moment);
}

/** `10:00`. */
export function timeShown(moment: number): string {
  return dateFormat(TIME).format(moment);
}

/** The day and the time of the day: `Today, 14:05`. */
export function momentShown(moment: number, now = Date.now()): string {
  return `${dayShown(moment, now)}, ${timeShown(moment)}`;
}

/** As `momentShown`, without the time if it is midnight. */
export function dueShown(moment: number, now = Date.now()): string {
  return moment === startOfDay(moment) ? dayShown(moment, now) : momentShown(moment, now);
}

export function isPast(moment: number, now = Date.now()): boolean {
  return startOfDay(moment) < startOfDay(now);
}

/** The value of an `<input type="date">`; empty for none. */
export function dayField(moment: number | null): string {
  if (moment === null) {
    return "";
  }
  const date = new Date(moment);
  return `${date.getFullYear()}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())}`;
}

/** The value of an `<input type="time">`; empty for none and for midnight. */
export function timeField(moment: number | null): string {
  if (moment === null || moment === startOfDay(moment)) {
    return "";
  }
  const date = new Date(moment);
  return `${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}`;
}

/** The time that a date field and a time field give together; null without a day. */
export function momentOf(day: string, time = ""): number | null {
  const [year, month, date] = day.split("-").map(Number);
  if (year === undefined || month === undefined || date === undefined || Number.isNaN(date)) {
    return null;
  }
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  return new Date(year, month - 1, date, hours, minutes).getTime();
}

function twoDigits(number: number): string {
  return String(number).padStart(2, "0");
}
