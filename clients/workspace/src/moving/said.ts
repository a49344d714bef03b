/** Dates of other programs, as they are written there. Pure. */
import { saidDate } from "../palette/said_dates";
import { startOfDay } from "../parts/days";
import { foreignDate } from "./foreign_dates";
import { momentInZone, wallTimeOf } from "./zones";

export interface Said {
  /** Midnight for a day without a time. */
  readonly moment: number | null;
  readonly isRepeated: boolean;
}

const ISO = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?)?(Z|[+-]\d{2}:?\d{2})?$/;
const REPEATED = /^(?:every|ogni)!?\s+|^(?:daily|weekly|monthly|yearly|ogni(?:giorno|mese))\b/i;
const EVERY_DAY = /^(?:every!?\s+day|daily|ogni!?\s+giorno)\b/i;

const WEEKDAYS: Readonly<Record<string, string>> = {
  mon: "monday",
  tue: "tuesday",
  wed: "wednesday",
  thu: "thursday",
  fri: "friday",
  sat: "saturday",
  sun: "sunday",
  lun: "lunedì",
  mar: "martedì",
  mer: "mercoledì",
  gio: "giovedì",
  ven: "venerdì",
  sab: "sabato",
  dom: "domenica",
};

/**
 * A date in words or as ISO 8601; of one that repeats, the next. `language` is `it`, one of `foreign_dates.ts`, or else
 * taken for English. `zone` is that of its time, if it is not the one here.
 */
export function readSaid(text: string, context: { now: number; language: string; zone?: string }): Said {
  const said = text.trim();
  const exact = isoMoment(said, context.zone);
  if (exact !== null || said === "") {
    return { moment: exact, isRepeated: false };
  }
  const foreign = foreignDate(said, context.now, context.language);
  if (foreign !== null) {
    const { moment, hasTime, isRepeated } = foreign;
    return { moment: moment !== null && hasTime ? moved(moment, context.zone) : moment, isRepeated };
  }
  const language = context.language === "it" ? "it" : "en";
  const isRepeated = REPEATED.test(said);
  const words = isRepeated ? firstTime(said, language) : said;
  const found = saidDate(words, context.now, language);
  if (found === null) {
    return { moment: null, isRepeated };
  }
  const moment = found.hasTime ? moved(found.moment, context.zone) : startOfDay(found.moment);
  return { moment, isRepeated };
}

/** Null if `text` is no date of ISO 8601. */
export function isoMoment(text: string, zone?: string): number | null {
  const match = ISO.exec(text);
  if (match === null) {
    return null;
  }
  const [, year, month, day, hour = "0", minute = "0", second = "0", offset] = match;
  if (offset !== undefined) {
    const moment = Date.parse(text.replace(" ", "T"));
    return Number.isNaN(moment) ? null : moment;
  }
  const date = new Date(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
  if (date.getMonth() !== Number(month) - 1) {
    return null;
  }
  return match[4] === undefined ? date.getTime() : moved(date.getTime(), zone);
}

/** When the clocks of `zone` show what the ones here do at `moment`. */
function moved(moment: number, zone: string | undefined): number {
  return zone === undefined || zone === "" ? moment : (momentInZone(wallTimeOf(moment), zone) ?? moment);
}

/** `every mon, wed at 9:00` begins on a monday. */
function firstTime(said: string, language: "en" | "it"): string {
  if (EVERY_DAY.test(said)) {
    return said.replace(EVERY_DAY, language === "en" ? "today" : "oggi");
  }
  const rest = said.replace(REPEATED, "");
  return rest.replace(/^\p{L}{3}(?!\p{L})/u, (day) => WEEKDAYS[day.toLowerCase()] ?? day);
}
