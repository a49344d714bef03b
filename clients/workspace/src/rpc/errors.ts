/** Errors of the store, which the page shows in its own language: the store has none. */
import { TOO_MANY, tooManySaid } from "../i18n/client_texts";
import { msg } from "../i18n/msg";
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
  const message = error instanceof Error ? error.message : String(error);
  if ((error as { code?: unknown } | null)?.code === TOO_MANY) {
    return tooManySaid(message);
  }
  return { message: A_STATUS.test(message) ? SERVER_PROBLEM : message };
}

/** The client's sentence for an answer without words, as of a proxy whose server is gone. */
const A_STATUS = /^The server answers \d+\.$/;
const SERVER_PROBLEM = msg("The server has a problem at the moment.");
