/** The server's calls into the tables, validated, and their fingerprints. Pure. */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { CallRefused } from "../errors.js";
import type { CallAction } from "../protocol/frames.js";
import { TABLE_NAMES, type TableName } from "./columns.js";
import { type Given, has, isObject, shown, validText } from "./values.js";

const ACTIONS: readonly CallAction[] = [
  "select",
  "get",
  "insert",
  "update",
  "delete",
  "vector_upsert",
  "vector_search",
  "page_details",
  "undo",
];
const WRITES: ReadonlySet<CallAction> = new Set(["insert", "update", "delete", "vector_upsert", "undo"]);
/** Who makes a call that does not say it. */
const UNNAMED = "assistant";
const ARGUMENTS = ["action", "table", "data", "filters", "vector", "limit"] as const;

/** One call. `id` is permanent; `fingerprint` is equal for calls that ask for the same. */
export class ReadCall {
  readonly id: string;
  readonly fingerprint: string;
  readonly action: CallAction;
  readonly data: Given;
  readonly filters: Given;
  /** Whether a select also says how many rows match its filters. */
  readonly counts: boolean;
  readonly requestId: string | null;
  /** The agent, tool or program that makes it. */
  readonly by: string;
  readonly #table: TableName | undefined;
  readonly #vector: readonly number[] | undefined;
  readonly #limit: number | undefined;

  /** Reads a `tool_call`, `data_request` or `mutation`. Throws `CallRefused` if malformed. */
  constructor(frame: Given) {
    this.id = validText(frame.id, "id");
    this.fingerprint = fingerprintOf(frame);
    this.action = named(ACTIONS, frame.action, "action");
    this.data = objectOf(frame, "data");
    this.filters = objectOf(frame, "filters");
    this.counts = has(frame, "count") && flag(frame.count, "count");
    this.requestId = optionalText(frame, "request_id");
    this.by = optionalText(frame, "by") || UNNAMED;
    this.#table = has(frame, "table") ? named(TABLE_NAMES, frame.table, "table") : undefined;
    this.#vector = has(frame, "vector") ? numbersOf(frame.vector) : undefined;
    this.#limit = has(frame, "limit") ? wholeNumber(frame.limit, "limit") : undefined;
  }

  get isWrite(): boolean {
    return WRITES.has(this.action);
  }

  get table(): TableName {
    return this.#given(this.#table, "a table");
  }

  get vector(): readonly number[] {
    return this.#given(this.#vector, "a vector");
  }

  get rowId(): string {
    return this.text("id");
  }

  /** The text `name` in `data`. Throws `CallRefused` when there is none. */
  text(name: string): string {
    if (!has(this.data, name)) {
      throw new CallRefused(`${this.action} needs data.${name}.`);
    }
    return validText(this.data[name], `data.${name}`);
  }

  /** The flag `name` in `data`; false when it is absent. Throws `CallRefused` for anything else. */
  flag(name: string): boolean {
    return has(this.data, name) && flag(this.data[name], `data.${name}`);
  }

  /** The text `name` in `data`; null when it is absent or null. Throws `CallRefused` for anything else. */
  optionalText(name: string): string | null {
    const value = has(this.data, name) ? this.data[name] : null;
    return value === null || value === undefined ? null : validText(value, `data.${name}`);
  }

  /** The object `name` in `data`. Throws `CallRefused` when there is none. */
  part(name: string): Given {
    const value = has(this.data, name) ? this.data[name] : null;
    if (!isObject(value)) {
      throw new CallRefused(`${this.action} needs an object data.${name}, not ${shown(value)}.`);
    }
    return value;
  }

  /** The limit given with the call, else `fallback`. Throws `CallRefused` for one below 1. */
  limit(fallback: number): number {
    const limit = this.#limit ?? fallback;
    if (limit < 1) {
      throw new CallRefused(`limit must be 1 or more, not ${limit}.`);
    }
    return limit;
  }

  #given<T>(value: T | undefined, what: string): T {
    if (value === undefined) {
      throw new CallRefused(`${this.action} needs ${what}.`);
    }
    return value;
  }
}

function fingerprintOf(frame: Given): string {
  const given = Object.fromEntries(ARGUMENTS.filter((name) => has(frame, name)).map((name) => [name, frame[name]]));
  return bytesToHex(sha256(utf8ToBytes(canonical(given))));
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) {
    return `[${value.map(canonical).join(",")}]`;
  }
  if (isObject(value)) {
    const parts = Object.keys(value)
      .sort()
      .map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`);
    return `{${parts.join(",")}}`;
  }
  return JSON.stringify(value ?? null);
}

function named<Name extends string>(names: readonly Name[], value: unknown, what: string): Name {
  const found = names.find((name) => name === value);
  if (found === undefined) {
    throw new CallRefused(`There is no ${what} ${shown(value)}.`);
  }
  return found;
}

function optionalText(frame: Given, name: string): string | null {
  const value = has(frame, name) ? frame[name] : null;
  return value === null || value === undefined ? null : validText(value, name);
}

function objectOf(frame: Given, name: string): Given {
  const value = has(frame, name) ? frame[name] : {};
  if (!isObject(value)) {
    throw new CallRefused(`${name} must be an object, not ${shown(value)}.`);
  }
  return value;
}

function numbersOf(value: unknown): readonly number[] {
  if (!Array.isArray(value)) {
    throw new CallRefused(`vector must be a list of numbers, not ${shown(value)}.`);
  }
  for (const number of value) {
    if (typeof number !== "number") {
      throw new CallRefused(`vector must hold numbers only, not ${shown(number)}.`);
    }
  }
  return value as number[];
}

function flag(value: unknown, name: string): boolean {
  if (typeof value !== "boolean") {
    throw new CallRefused(`${name} must be true or false, not ${shown(value)}.`);
  }
  return value;
}

function wholeNumber(value: unknown, name: string): number {
  if (typeof value !== "number" || !Number.isSafeInteger(value)) {
    throw new CallRefused(`${name} must be a whole number, not ${shown(value)}.`);
  }
  return value;
}
