/** Errors of the store, which the page shows in its own language: the store has none. */
import { TOO_MANY, TOO_MANY_SAID } from "../i18n/client_texts";
import type { Values } from "../i18n/translate";

/** A sentence for the user. `text` is marked by `msg`, and has the names of `values` in braces. */
export class UserError extends Error {
  readonly text: string;
  readonly values: Values;

  constructor(text: string, values: Values = {}, options: ErrorOptions = {}) {
    super(
      text.replace(/\{(\w+)\}/g, (named, name: string) => String(values[name] ?? named)),
      options,
    );
    this.text = text;
    this.values = values;
  }
}

/** An error as it is sent to a page. */
export interface SentError {
  readonly message: string;
  /** Of a `UserError`. */
  readonly values?: Values;
}

export function sentError(error: unknown): SentError {
  if (error instanceof UserError) {
    return { message: error.text, values: error.values };
  }
  if ((error as { code?: unknown } | null)?.code === TOO_MANY) {
    return { message: TOO_MANY_SAID };
  }
  return { message: error instanceof Error ? error.message : String(error) };
}
