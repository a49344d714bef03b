/** Reading in a worker of its own: meanwhile the store answers all tabs, and what takes too long is ended. */
import { msg } from "../i18n/msg";
import { type SentError, UserError } from "../rpc/errors";
import { trusted } from "../rpc/scripts";
import type { Context, Plan } from "./plan";
import workerAddress from "./read_worker?worker&url";
import type { PathFile } from "./zip";

export interface ReadRequest {
  readonly files: readonly PathFile[];
  readonly context: Context;
}

export type ReadAnswer = { readonly plan: Plan } | { readonly error: SentError };

const MOST_MS = 2 * 60_000;

/** Throws `UserError`. */
export async function readInWorker(files: readonly PathFile[], context: Context): Promise<Plan> {
  const worker = new Worker(trusted(workerAddress), { type: "module" });
  try {
    return await new Promise((resolve, reject) => {
      worker.addEventListener("message", ({ data }: MessageEvent<ReadAnswer>) =>
        "plan" in data ? resolve(data.plan) : reject(new UserError(data.error.message, data.error.values)),
      );
      worker.addEventListener("error", () =>
        reject(new UserError(msg("What reads the files could not be loaded. Try again."))),
      );
      setTimeout(() => reject(new UserError(msg("Reading this takes too long. Import it in parts."))), MOST_MS);
      const request: ReadRequest = { files, context };
      worker.postMessage(request);
    });
  } finally {
    worker.terminate();
  }
}
