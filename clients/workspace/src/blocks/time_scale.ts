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

/** A text at a place of the strip, in percent. */
export interface AxisLabel {
  readonly place: number;
  readonly text: string;
}

/** Of a letter of a label, and between two labels. */
const LETTER_PX = 6.4;
const BETWEEN_PX = 8;

/** At the ends of the strip a label begins or ends at its place, elsewhere its middle is there. */
export function anchorOf(place: number): "start" | "middle" | "end" {
  return place < 8 ? "start" : place > 92 ? "end" : "middle";
}

/** Those labels that fit on a strip of `widthPx` without touching each other: earlier ones of the list come first. */
export function fitting<Label extends AxisLabel>(labels: readonly Label[], widthPx: number): Label[] {
  const taken: (readonly [from: number, to: number])[] = [];
  return labels.filter(({ place, text }) => {
    const [from, to] = extentOf(place, text, widthPx);
    const isFree = taken.every(([first, last]) => to + BETWEEN_PX <= first || last + BETWEEN_PX <= from);
    if (isFree) {
      taken.push([from, to]);
    }
    return isFree;
  });
}

function extentOf(place: number, text: string, widthPx: number): readonly [from: number, to: number] {
  const [at, width] = [(place / 100) * widthPx, text.length * LETTER_PX];
  const from = at - { start: 0, middle: width / 2, end: width }[anchorOf(place)];
  return [from, from + width];
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
