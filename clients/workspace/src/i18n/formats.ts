/** Dates, numbers and lists as the user's language and country write them. */
import { isolated } from "./isolated";
import { locale } from "./language";

// Made once: creating one takes far longer than using it.
const made = new Map<string, unknown>();

function once<Format>(name: string, make: (locale: string) => Format): Format {
  const key = `${locale()} ${name}`;
  const format = (made.get(key) as Format | undefined) ?? make(locale());
  made.set(key, format);
  return format;
}

export function dateFormat(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return once(JSON.stringify(options), (tag) => new Intl.DateTimeFormat(tag, options));
}

export function numberFormat(options: Intl.NumberFormatOptions): Intl.NumberFormat {
  return once(`number ${JSON.stringify(options)}`, (tag) => new Intl.NumberFormat(tag, options));
}

/** `1,234.5`. */
export function numberShown(number: number): string {
  return once("number", (tag) => new Intl.NumberFormat(tag)).format(number);
}

/** `95 %` or `95%`, as the language has it. */
export function percentShown(fraction: number): string {
  return once("percent", (tag) => new Intl.NumberFormat(tag, { style: "percent" })).format(fraction);
}

/** `a, b and c`. */
export function listShown(items: readonly string[]): string {
  return once("list", (tag) => new Intl.ListFormat(tag)).format(items.map(isolated));
}

/** `yesterday`, `tomorrow`, `in 3 days`. */
export function daysAwayShown(days: number): string {
  return once("days", (tag) => new Intl.RelativeTimeFormat(tag, { numeric: "auto" })).format(days, "day");
}

/** With a small letter at its beginning, as within a sentence. */
export function uncapitalized(text: string): string {
  return `${text.charAt(0).toLocaleLowerCase(locale())}${text.slice(1)}`;
}

/** With a capital at its beginning, as at the beginning of a sentence. */
export function capitalized(text: string): string {
  return `${text.charAt(0).toLocaleUpperCase(locale())}${text.slice(1)}`;
}
