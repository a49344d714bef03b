/** The server's questions to the user: open until answered on any page, or withdrawn. */
import type { ApprovalRequest, Approver, Verdict } from "@adiuva/client";

export class Questions {
  readonly #changed: () => void;
  readonly #open = new Map<string, { request: ApprovalRequest; answer: (verdict: Verdict | null) => void }>();

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  get requests(): ApprovalRequest[] {
    return [...this.#open.values()].map(({ request }) => request);
  }

  readonly ask: Approver = (request, signal) =>
    new Promise((resolve) => {
      const close = (verdict: Verdict | null): void => {
        this.#open.delete(request.id);
        this.#changed();
        resolve(verdict);
      };
      this.#open.set(request.id, { request, answer: close });
      signal.addEventListener("abort", () => close(null), { once: true });
      this.#changed();
    });

  answer(id: string, verdict: Verdict): void {
    this.#open.get(id)?.answer(verdict);
  }
}
