/** Values as calls bring them: checked, and quoted in errors. */
import { CallRefused } from "../errors.js";

export type Value = string | number | null;

/** A row of a table, as it goes over the wire. */
export type Row = Record<string, Value>;

/** An object of a call: nothing is known of its values. */
export type Given = Readonly<Record<string, unknown>>;

const SHOWN_CHARACTERS = 60;

/** `value` as an error quotes it: short, and printable everywhere. */
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

/** `value`, when it is text that can be stored; an error calls it `name`. */
export function validText(value: unknown, name: string): string {
  if (typeof value !== "string") {
    throw new CallRefused(`${name} must be text, not ${shown(value)}.`);
  }
  if (/\p{Surrogate}/u.test(value)) {
    throw new CallRefused(`${name} holds half a surrogate pair, which is no character.`);
  }
  return value;
}

/** Object properties that anybody set, not those that every object has. */
export function has(object: Given, name: string): boolean {
  return Object.hasOwn(object, name);
}
