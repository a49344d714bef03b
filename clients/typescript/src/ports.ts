/** What the client needs from its platform, with defaults that every JavaScript platform has. */

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls `act` after `ms` milliseconds; returns a function that cancels it. */
  after(milliseconds: number, act: () => void): () => void;
}

export type IdMaker = () => string;

/** Returns a number from 0 to 1. */
export type Draw = () => number;

export const systemClock: Clock = {
  now: () => Date.now(),
  after(milliseconds, act) {
    const timer = setTimeout(act, milliseconds);
    return () => clearTimeout(timer);
  },
};

/** A random UUID (version 4). `crypto.randomUUID` is missing on pages that were loaded over plain HTTP. */
export function newUuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return [digits.slice(0, 8), digits.slice(8, 12), digits.slice(12, 16), digits.slice(16, 20), digits.slice(20)].join(
    "-",
  );
}
