/** Jobs: tool runs on the server that are independent of any answer. */
import type { JobAck, JobUpdate } from "../protocol/frames.js";
import { type OnFault, tell } from "../telling.js";

/** Gets the states of jobs. The same state may come twice, at any time, and after a reconnect. */
export interface JobWatcher {
  note(update: JobUpdate): void;
  /** Store how a job ended. Return whether the server may forget it; otherwise it sends it again. */
  deliver(update: JobUpdate): Promise<boolean>;
}

const ENDS: ReadonlySet<JobUpdate["state"]> = new Set(["done", "failed", "cancelled"]);

export class Jobs {
  readonly #watcher: JobWatcher;
  readonly #send: (frame: JobAck) => boolean;
  readonly #onFault: OnFault;
  readonly #delivering = new Set<string>();

  constructor(watcher: JobWatcher, send: (frame: JobAck) => boolean, onFault: OnFault) {
    this.#onFault = onFault;
    this.#watcher = watcher;
    this.#send = send;
  }

  take(update: JobUpdate): void {
    tell([(told) => this.#watcher.note(told)], update, this.#onFault);
    if (ENDS.has(update.state) && !this.#delivering.has(update.job_id)) {
      void this.#deliver(update);
    }
  }

  async #deliver(update: JobUpdate): Promise<void> {
    this.#delivering.add(update.job_id);
    const isKept = await this.#isKept(update);
    this.#delivering.delete(update.job_id);
    if (isKept) {
      this.#send({ type: "job_ack", job_id: update.job_id });
    }
  }

  /** What fails, in its promise or before it gives one, comes again. */
  async #isKept(update: JobUpdate): Promise<boolean> {
    try {
      return await this.#watcher.deliver(update);
    } catch {
      return false;
    }
  }
}
