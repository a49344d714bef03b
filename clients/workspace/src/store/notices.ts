/** What the server says that belongs to no answer, as when an answer to a question came too late. */
import type { ErrorFrame } from "@adiuva/client";

/** Long enough to be read, in milliseconds. */
export const LASTING_MS = 20_000;

export class Notices {
  readonly #changed: () => void;
  #latest: string | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** The latest, until it is old or the person does the next thing. */
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

/** What `frame` says to a person; null where nothing is to be said. */
function sentenceOf({ code, message, request_id }: ErrorFrame): string | null {
  switch (code) {
    case "unauthorized":
    case "token_expired":
      // The connection ends by it, which is said where it is shown.
      return null;
    case "unknown_request":
      // With an id it is about a request that has been over for long, and was to be stopped.
      return request_id === undefined
        ? "Your answer came too late: the question was answered elsewhere, or its time was over."
        : null;
    default:
      return message;
  }
}
