/** How long to wait before trying to connect again. Pure. */
import type { Draw } from "../ports.js";

/** Milliseconds. */
export interface BackoffLimits {
  readonly firstMs: number;
  readonly mostMs: number;
}

export const BACKOFF: BackoffLimits = { firstMs: 500, mostMs: 15_000 };

/** Exponential back-off with full jitter, so that clients which lost the server together do not return together. */
export class Backoff {
  readonly #limits: BackoffLimits;
  readonly #draw: Draw;
  #next: number;

  constructor(limits: BackoffLimits, draw: Draw) {
    this.#limits = limits;
    this.#draw = draw;
    this.#next = limits.firstMs;
  }

  /** The pause before the next try; at least as long as the server asked for. */
  pause(atLeastMs = 0): number {
    const most = this.#next;
    this.#next = Math.min(this.#limits.mostMs, most * 2);
    return atLeastMs + most * this.#draw();
  }

  /** Call it once connected. */
  reset(): void {
    this.#next = this.#limits.firstMs;
  }
}
