/** Values in calls: validation, and quoting in errors. */
import { CallRefused } from "../errors.js";

export type Value = string | number | null;

/** A row of a table, as it is sent. */
export type Row = Record<string, Value>;

/** An object of a call, with unknown values. */
export type Given = Readonly<Record<string, unknown>>;

const SHOWN_CHARACTERS = 60;

/** `value` as errors quote it: short and printable. */
export function shown(value: unknown): string {
  const text = quoted(value);
  return text.length <= SHOWN_CHARACTERS ? text : `${text.slice(0, SHOWN_CHARACTERS)}…`;
}

function quoted(value: unknown): string {
  if (Array.isArray(value)) {
    return `[${value.map(quoted).join(", ")}]`;
  }
  if (isObject(value)) {
    return `{${Object.entries(value)
      .map(([name, inner]) => `${quoted(name)}: ${quoted(inner)}`)
      .join(", ")}}`;
  }
  const text = JSON.stringify(value ?? null);
  return text.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

export function isObject(value: unknown): value is Given {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** `value`, if it is text that can be stored; errors call it `name`. */
export function validText(value: unknown, name: string): string {
  if (typeof value !== "string") {
    throw new CallRefused(`${name} must be text, not ${shown(value)}.`);
  }
  if (/\p{Surrogate}/u.test(value)) {
    throw new CallRefused(`${name} holds half a surrogate pair, which is no character.`);
  }
  return value;
}

/** The object's own properties, not inherited ones. */
export function has(object: Given, name: string): boolean {
  return Object.hasOwn(object, name);
}
