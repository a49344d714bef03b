/** Messages of the server that belong to no answer, such as that an approval came too late. */

import type { ErrorFrame } from "@adiuva/client";
import { msg } from "../i18n/msg";

/** How long a notice is shown, in milliseconds. */
export const LASTING_MS = 20_000;

export class Notices {
  readonly #changed: () => void;
  #latest: string | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** The latest notice, until it times out or the user does something else. */
  get latest(): string | null {
    return this.#latest;
  }

  readonly note = (frame: ErrorFrame): void => {
    const sentence = sentenceOf(frame);
    if (sentence !== null) {
      this.#become(sentence);
      this.#timer = setTimeout(this.clear, LASTING_MS);
    }
  };

  readonly clear = (): void => {
    if (this.#latest !== null) {
      this.#become(null);
    }
  };

  #become(latest: string | null): void {
    clearTimeout(this.#timer);
    this.#latest = latest;
    this.#changed();
  }
}

/** The frame's message for the user; null if there is none. */
function sentenceOf({ code, message, request_id }: ErrorFrame): string | null {
  switch (code) {
    case "unauthorized":
    case "token_expired":
      // It ends the connection, which is shown elsewhere.
      return null;
    case "unknown_request":
      // With an id it answers the cancelling of a request that ended long ago.
      return request_id === undefined
        ? msg("Your answer came too late: the question was answered elsewhere, or it had expired.")
        : null;
    default:
      return message;
  }
}
