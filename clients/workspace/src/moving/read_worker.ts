/** A worker that reads the files of one import. */
import { sentError } from "../rpc/errors";
import { readPlan } from "./read";
import type { ReadAnswer, ReadRequest } from "./reading";

self.addEventListener("message", async ({ data: { files, context } }: MessageEvent<ReadRequest>) => {
  let answer: ReadAnswer;
  try {
    answer = { plan: await readPlan(files, context) };
  } catch (error) {
    answer = { error: sentError(error) };
  }
  self.postMessage(answer);
});
