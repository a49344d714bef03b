/**
 * Dates as people write them, in English and Italian. chrono-node understands both; what it lacks is added here: "day
 * after tomorrow", "on the 15th", "in half an hour", "half past 9", "dopo domani", "il 15", "fine mese", "alle 5 del
 * pomeriggio", "alle 9 e mezza". Pure.
 */
import type { Chrono, Parser, ParsingContext } from "chrono-node";
import { GB } from "chrono-node/en";
import { casual as italian } from "chrono-node/it";
import { startOfDay } from "../parts/days";

export interface SaidDate {
  readonly moment: number;
  readonly hasTime: boolean;
  readonly start: number;
  readonly end: number;
}

export type Language = "en" | "it";

interface Parts {
  readonly year?: number;
  readonly month?: number;
  readonly day?: number;
  readonly hour?: number;
  readonly minute?: number;
}

const ENGLISH = with_(GB, [
  parser(/(?:the )?day after tomorrow/i, ({ refDate }) => dayFrom(refDate, 2)),
  parser(/(?:on )?the (\d{1,2})(?:st|nd|rd|th)/i, ({ refDate }, [, day]) => dayOfMonth(refDate, Number(day))),
  parser(/in half an hour/i, ({ refDate }) => minutesFrom(refDate, 30)),
  parser(
    /(?:at )?(half|(?:a )?quarter) (past|to) (\d{1,2})(?:\s?(am|pm))?/i,
    (_context, [, part, side, hour, half]) => {
      const minutes = part?.toLowerCase() === "half" ? 30 : 15;
      return clock(Number(hour), { half, minutes: side?.toLowerCase() === "to" ? -minutes : minutes });
    },
  ),
]);

const ITALIAN = with_(italian, [
  parser(/dopo\s?domani/i, ({ refDate }) => dayFrom(refDate, 2)),
  parser(
    /(?:il|l['’]|entro il) ?(\d{1,2})(?![\d:/.])(?!\s+(?:gen|feb|mar|apr|mag|giu|lug|ago|set|ott|nov|dic))/i,
    ({ refDate }, [, day]) => dayOfMonth(refDate, Number(day)),
  ),
  parser(/(?:a |entro )?fine mese/i, ({ refDate }) => lastOfMonth(refDate)),
  parser(/(?:tra|fra) mezz['’]?\s?ora/i, ({ refDate }) => minutesFrom(refDate, 30)),
  parser(
    /(?:alle |all['’])(\d{1,2}|una)(?:[:.](\d{2})| e (mezz[ao])| (e|meno) un quarto)?( del pomeriggio)?/i,
    (_context, [, hour, minute, half, quarter, afternoon]) =>
      clock(hour?.toLowerCase() === "una" ? 1 : Number(hour), {
        half: afternoon && "pm",
        minutes: half ? 30 : quarter ? (quarter.toLowerCase() === "meno" ? -15 : 15) : Number(minute ?? 0),
      }),
  ),
]);

const CHRONOS: Readonly<Record<Language, Chrono>> = { en: ENGLISH, it: ITALIAN };

/** Words that chrono takes for dates though people hardly ever mean them so in a title. */
const UNLIKELY =
  /^(sun|sat|wed|mon|mar|mer|ven|gio|lun|sab|dom|set|sett|mag|ora|adesso|now|may|march|marzo|sera|notte|second)$/i;

/** Times that chrono does not count as said. */
const NOON = /\b(noon|midday|mezzogiorno)\b/i;

/** The first date in `text`, as the language understands it that makes more of it; null without one. */
export function saidDate(text: string, now: number, preferred: Language): SaidDate | null {
  const [first, second] = [preferred, preferred === "en" ? ("it" as const) : ("en" as const)];
  const one = dateIn(CHRONOS[first], text, now);
  const other = dateIn(CHRONOS[second], text, now);
  return lengthOf(other) > lengthOf(one) ? other : one;
}

function lengthOf(said: SaidDate | null): number {
  return said === null ? 0 : said.end - said.start;
}

/** The first date in `text`, as `chrono` understands it; null without one. */
export function dateIn(chrono: Chrono, text: string, now: number): SaidDate | null {
  const found = chrono.parse(text, new Date(now), { forwardDate: true }).find((each) => !UNLIKELY.test(each.text));
  if (found === undefined) {
    return null;
  }
  const hasTime = found.start.isCertain("hour") || NOON.test(found.text);
  const moment = found.start.date().getTime();
  const [start, end] = withPreposition(text, found.index, found.index + found.text.length);
  return { moment: hasTime ? moment : startOfDay(moment), hasTime, start, end };
}

const BEFORE = /(?:^|\s)(?:by|on|due|for|at|entro|per|di)\s+$/i;

/** `by friday` is all about the date. */
function withPreposition(text: string, start: number, end: number): [number, number] {
  const before = BEFORE.exec(text.slice(0, start));
  if (before === null) {
    return [start, end];
  }
  return [start - before[0].trimStart().length, end];
}

function with_(chrono: Chrono, parsers: readonly Parser[]): Chrono {
  const extended = chrono.clone();
  extended.parsers.unshift(...parsers);
  return extended;
}

function parser(pattern: RegExp, read: (context: ParsingContext, match: RegExpMatchArray) => Parts | null): Parser {
  const whole = new RegExp(`(?<![\\p{L}\\p{N}])${pattern.source}(?![\\p{L}\\p{N}])`, `${pattern.flags}u`);
  return {
    pattern: () => whole,
    extract: (context, match) => {
      const parts = read(context, match);
      return parts === null ? null : (parts as { [part in "day" | "hour"]?: number });
    },
  };
}

function dayFrom(now: Date, days: number): Parts {
  return partsOf(new Date(now.getFullYear(), now.getMonth(), now.getDate() + days));
}

/** The next such day of a month; null if no month has it. */
function dayOfMonth(now: Date, day: number): Parts | null {
  if (day < 1 || day > 31) {
    return null;
  }
  for (let months = day < now.getDate() ? 1 : 0; ; months += 1) {
    const date = new Date(now.getFullYear(), now.getMonth() + months, day);
    if (date.getDate() === day) {
      return partsOf(date);
    }
  }
}

function lastOfMonth(now: Date): Parts {
  return partsOf(new Date(now.getFullYear(), now.getMonth() + 1, 0));
}

/** `minutes` may be before the hour; null for an hour that there is not. */
function clock(hour: number, { half, minutes }: { half: string | undefined; minutes: number }): Parts | null {
  if (hour > (half === undefined ? 23 : 12) || minutes > 59) {
    return null;
  }
  const at = half === undefined ? hour : (hour % 12) + (half.toLowerCase() === "pm" ? 12 : 0);
  const sum = (at * 60 + minutes + 24 * 60) % (24 * 60);
  return { hour: Math.floor(sum / 60), minute: sum % 60 };
}

function minutesFrom(now: Date, minutes: number): Parts {
  const then = new Date(now.getTime() + minutes * 60_000);
  return { ...partsOf(then), hour: then.getHours(), minute: then.getMinutes() };
}

function partsOf(date: Date): Parts {
  return { year: date.getFullYear(), month: date.getMonth() + 1, day: date.getDate() };
}
