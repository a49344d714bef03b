/** Texts of users within sentences. */

const FIRST_STRONG_ISOLATE = "\u2068";
const POP_ISOLATE = "\u2069";
/** Letters of scripts that are written from right to left, and the characters that override a direction. */
const TURNING =
  /[\u0590-\u08ff\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/**
 * The value between Unicode's isolates if it may have another direction than the sentence around it. Otherwise an Arabic
 * title would take quotation marks, digits and other titles beside it to its own side.
 */
export function isolated<Value extends string | number>(value: Value): Value | string {
  return typeof value === "string" && TURNING.test(value) ? `${FIRST_STRONG_ISOLATE}${value}${POP_ISOLATE}` : value;
}

/** For a sentence that is read by more than eyes, such as a question to the assistant. */
export function withoutIsolates(text: string): string {
  return text.replaceAll(FIRST_STRONG_ISOLATE, "").replaceAll(POP_ISOLATE, "");
}
