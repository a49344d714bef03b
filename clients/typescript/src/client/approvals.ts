/** Questions of the server to the user of this device. */
import type { Clock } from "../ports.js";
import type { ApprovalRequest, ApprovalResponse } from "../protocol/frames.js";

/** The user's answer. `remember` asks the server not to ask about this tool again. */
export interface Verdict {
  readonly approved: boolean;
  readonly reason?: string;
  readonly remember?: boolean;
}

/**
 * Asks the user; null leaves the question open.
 *
 * `signal` is aborted when the answer is no longer needed: its turn has ended, or its time is over. A connection
 * that is lost meanwhile does not end the question: the answer is sent on the next one.
 */
export type Approver = (request: ApprovalRequest, signal: AbortSignal) => Promise<Verdict | null>;

interface Question {
  readonly request: ApprovalRequest;
  readonly abort: AbortController;
  readonly stopTimer: () => void;
  response?: ApprovalResponse;
}

export class Approvals {
  readonly #approve: Approver;
  readonly #clock: Clock;
  readonly #send: (frame: ApprovalResponse) => boolean;
  readonly #open = new Map<string, Question>();

  constructor(approve: Approver, clock: Clock, send: (frame: ApprovalResponse) => boolean) {
    this.#approve = approve;
    this.#clock = clock;
    this.#send = send;
  }

  /** `serverTime` is the server's clock minus this one, in milliseconds. */
  ask(request: ApprovalRequest, serverTime: number): void {
    const known = this.#open.get(request.id);
    if (known === undefined) {
      const left = request.expires_at - serverTime - this.#clock.now();
      const stopTimer = this.#clock.after(Math.max(0, left), () => this.#withdraw(request.id));
      const question = { request, abort: new AbortController(), stopTimer };
      this.#open.set(request.id, question);
      void this.#answer(question);
    } else if (known.response !== undefined) {
      // Asked again after a hello: the answer was given while there was no connection.
      this.#deliver(known, known.response);
    }
  }

  /** The turn has ended. */
  endTurn(requestId: string): void {
    for (const { request } of [...this.#open.values()]) {
      if (request.request_id === requestId) {
        this.#withdraw(request.id);
      }
    }
  }

  endAll(): void {
    for (const id of [...this.#open.keys()]) {
      this.#withdraw(id);
    }
  }

  async #answer(question: Question): Promise<void> {
    const { request, abort } = question;
    const verdict = await this.#verdict(request, abort.signal);
    if (abort.signal.aborted) {
      return;
    }
    if (verdict === null) {
      this.#forget(request.id);
      return;
    }
    this.#deliver(question, {
      type: "approval_response",
      id: request.id,
      approved: verdict.approved,
      ...(verdict.reason === undefined ? {} : { reason: verdict.reason }),
      ...(verdict.remember ? { remember: true } : {}),
    });
  }

  /** An approver that fails, in its promise or before it gives one, has neither approved nor refused. */
  async #verdict(request: ApprovalRequest, signal: AbortSignal): Promise<Verdict | null> {
    try {
      return await this.#approve(request, signal);
    } catch {
      return null;
    }
  }

  #deliver(question: Question, response: ApprovalResponse): void {
    question.response = response;
    // Kept until the turn ends, because what is written to a socket may not arrive.
    this.#send(response);
  }

  #withdraw(id: string): void {
    this.#open.get(id)?.abort.abort();
    this.#forget(id);
  }

  #forget(id: string): void {
    this.#open.get(id)?.stopTimer();
    this.#open.delete(id);
  }
}
