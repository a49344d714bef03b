/** Questions of the server as React shows them. */
import { useSyncExternalStore } from "react";
import type { Approver, Verdict } from "../client/approvals.js";
import type { ApprovalRequest } from "../protocol/frames.js";

/** A question that waits for the user. */
export interface OpenQuestion {
  readonly request: ApprovalRequest;
  answer(verdict: Verdict): void;
  /** Leaves it open: it may be answered elsewhere. */
  dismiss(): void;
}

/** Collects questions: pass its `approve` to the client, and the queue to `useApprovals`. */
export class ApprovalQueue {
  #questions: readonly OpenQuestion[] = [];
  readonly #listeners = new Set<() => void>();

  readonly approve: Approver = (request, signal) =>
    new Promise((resolve) => {
      const end = (verdict: Verdict | null) => {
        signal.removeEventListener("abort", withdraw);
        this.#set(this.#questions.filter((each) => each !== question));
        resolve(verdict);
      };
      const withdraw = () => end(null);
      const question: OpenQuestion = { request, answer: end, dismiss: withdraw };
      signal.addEventListener("abort", withdraw);
      this.#set([...this.#questions, question]);
    });

  /** Those that wait, the oldest first; the same list until it changes. */
  readonly questions = (): readonly OpenQuestion[] => this.#questions;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  #set(questions: readonly OpenQuestion[]): void {
    this.#questions = questions;
    for (const listener of [...this.#listeners]) {
      listener();
    }
  }
}

/** The questions that wait for the user, the oldest first. */
export function useApprovals(queue: ApprovalQueue): readonly OpenQuestion[] {
  return useSyncExternalStore(queue.subscribe, queue.questions, queue.questions);
}
