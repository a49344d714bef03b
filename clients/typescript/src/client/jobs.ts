/** Jobs: tool runs that go on at the server apart from any answer. */
import type { JobAck, JobUpdate } from "../protocol/frames.js";
import { type OnFault, tell } from "../telling.js";

/** Is told where jobs stand. The same may come twice, at any time, and after a reconnect. */
export interface JobWatcher {
  note(update: JobUpdate): void;
  /** Keep how a job ended. Whether the server may forget it; it tells again what it may not. */
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
    const isKept = await this.#watcher.deliver(update).catch(() => false);
    this.#delivering.delete(update.job_id);
    if (isKept) {
      this.#send({ type: "job_ack", job_id: update.job_id });
    }
  }
}
