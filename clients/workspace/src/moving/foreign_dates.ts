/** Dates in words, in the languages that Todoist and chrono-node know and pages are not in. Pure. */
import type { Chrono } from "chrono-node";
import { casual as german } from "chrono-node/de";
import { casual as spanish } from "chrono-node/es";
import { casual as french } from "chrono-node/fr";
import { casual as dutch } from "chrono-node/nl";
import { casual as portuguese } from "chrono-node/pt";
import { dateIn } from "../palette/said_dates";
import { startOfDay } from "../parts/days";

interface Foreign {
  readonly chrono: Chrono;
  /** How a date begins that repeats. */
  readonly every: RegExp;
  readonly day: RegExp;
}

const LANGUAGES: ReadonlyMap<string, Foreign> = new Map([
  ["de", { chrono: german, every: /^(?:jede[nrs]?!?\s+|täglich\b)/i, day: /^tag\b/i }],
  ["es", { chrono: spanish, every: /^(?:cada!?|tod[ao]s l[ao]s)\s+/i, day: /^d[ií]as?(?!\p{L})/iu }],
  ["fr", { chrono: french, every: /^(?:chaque!?|tou(?:te)?s les)\s+/i, day: /^jours?\b/i }],
  ["nl", { chrono: dutch, every: /^(?:elke!?|iedere)\s+/i, day: /^dag\b/i }],
  ["pt", { chrono: portuguese, every: /^(?:cada!?|tod[ao]s?(?: [ao]s)?)\s+/i, day: /^dias?\b/i }],
]);

export interface ForeignDate {
  /** Null if it is not understood. */
  readonly moment: number | null;
  readonly hasTime: boolean;
  readonly isRepeated: boolean;
}

/**
 * The date that `text` says; of one that repeats, the next. Null for
 * a language that is not among these; `pt_br` is.
 */
export function foreignDate(text: string, now: number, language: string): ForeignDate | null {
  const foreign = LANGUAGES.get(language.slice(0, 2));
  if (foreign === undefined) {
    return null;
  }
  const rest = text.replace(foreign.every, "");
  const isRepeated = rest !== text;
  const found = dateIn(foreign.chrono, rest, now);
  if (found !== null) {
    return { moment: found.moment, hasTime: found.hasTime, isRepeated };
  }
  const isDaily = isRepeated && (rest === "" || foreign.day.test(rest));
  return { moment: isDaily ? startOfDay(now) : null, hasTime: false, isRepeated };
}
