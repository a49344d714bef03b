/** The scale of a timeline: from the first date or today to the last, with round dates on its axis. Pure. */
import { daysFrom, startOfDay } from "../parts/dates";

/** Milliseconds since 1970. */
export interface Range {
  readonly first: number;
  readonly last: number;
}

export interface Tick {
  readonly at: number;
  readonly unit: "day" | "month" | "year";
}

/** Percentage of the strip that is left free at both ends for the diamonds. */
const INSET = 3;
const DAY_MS = 24 * 60 * 60 * 1000;
const MOST_TICKS = 6;
const DAYS = [1, 2, 7, 14];
const MONTHS = [1, 2, 3, 6, 12, 24, 60, 120];

/** All `dates` and today. */
export function rangeOf(dates: readonly number[], now: number): Range {
  const today = startOfDay(now);
  return dates.reduce(({ first, last }, date) => ({ first: Math.min(first, date), last: Math.max(last, date) }), {
    first: today,
    last: today,
  });
}

/** Where a moment is, in percent of the strip. */
export function placeOf({ first, last }: Range, moment: number): number {
  return INSET + (last === first ? 0 : ((moment - first) / (last - first)) * (100 - 2 * INSET));
}

/** Days, Mondays, first days of months or of years within the range: six at most. */
export function ticksOf({ first, last }: Range): Tick[] {
  const days = (last - first) / DAY_MS;
  const step = DAYS.find((each) => days / each <= MOST_TICKS - 1);
  return step === undefined ? monthTicks(first, last) : dayTicks(first, last, step);
}

function dayTicks(first: number, last: number, step: number): Tick[] {
  const day = startOfDay(first) < first ? daysFrom(first, 1) : first;
  const begin = step < 7 ? day : daysFrom(day, (8 - new Date(day).getDay()) % 7);
  const ticks: Tick[] = [];
  for (let at = begin; at <= last; at = daysFrom(at, step)) {
    ticks.push({ at, unit: "day" });
  }
  return ticks;
}

function monthTicks(first: number, last: number): Tick[] {
  const [from, to] = [new Date(first), new Date(last)];
  const months = (to.getFullYear() - from.getFullYear()) * 12 + to.getMonth() - from.getMonth();
  const step = MONTHS.find((each) => months / each <= MOST_TICKS) ?? Math.ceil(months / MOST_TICKS / 12) * 12;
  const begin = from.getFullYear() * 12 + from.getMonth();
  const ticks: Tick[] = [];
  for (let month = Math.floor(begin / step) * step; ; month += step) {
    const at = new Date(Math.floor(month / 12), month % 12, 1).getTime();
    if (at > last) {
      return ticks;
    }
    if (at >= first) {
      ticks.push({ at, unit: month % 12 === 0 ? "year" : "month" });
    }
  }
}
