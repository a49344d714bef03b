/** Times on the clocks of a time zone. Pure. */
import windowsZones from "./windows_zones.json";

/**
 * The time zones of Windows, which Outlook names in calendars, as IANA's: CLDR 47, `windowsZones.xml`, of each the zone
 * for all territories (`001`). Unicode licence: https://www.unicode.org/license.txt
 */
export const WINDOWS_ZONES: Readonly<Record<string, string>> = windowsZones;

export interface WallTime {
  readonly year: number;
  /** From 1. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

/**
 * When clocks in the zone `named`, such as `Europe/Rome`, or Windows' `W. Europe Standard Time`, show this time, in milliseconds
 * since 1970; null for no zone.
 */
export function momentInZone(time: WallTime, named: string): number | null {
  const zone = Object.hasOwn(WINDOWS_ZONES, named) ? (WINDOWS_ZONES[named] as string) : named;
  const shown = Date.UTC(time.year, time.month - 1, time.day, time.hour, time.minute, time.second);
  try {
    // Twice: the first guess may be on the other side of a change of clocks.
    return shown - offsetAt(shown - offsetAt(shown, zone), zone);
  } catch {
    return null;
  }
}

/** The time that the clocks here show at a moment. */
export function wallTimeOf(moment: number): WallTime {
  const date = new Date(moment);
  return {
    year: date.getFullYear(),
    month: date.getMonth() + 1,
    day: date.getDate(),
    hour: date.getHours(),
    minute: date.getMinutes(),
    second: date.getSeconds(),
  };
}

/** By how many milliseconds the clocks in `zone` are before UTC. Throws `RangeError` for no zone. */
function offsetAt(moment: number, zone: string): number {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  const parts = Object.fromEntries(format.formatToParts(moment).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - moment;
}
