/** The server's calls into the user's data, and the frames that answer them. */
import {
  type Answer,
  type Call,
  isTooLarge,
  MAX_ANSWER_BYTES,
  type ToolExecutor,
  tooLarge,
} from "../executor/executor.js";
import type { ClientFrame, Limits } from "../protocol/frames.js";

/** What an answer frame holds beside the answer: its type and its id. */
const ENVELOPE_BYTES = 1024;

/** The frame that answers `call`; null for one without an id, which nobody waits for. */
export async function answerTo(call: Call, executor: ToolExecutor, limits: Limits): Promise<ClientFrame | null> {
  if (typeof call.id !== "string") {
    return null;
  }
  const maxBytes = Math.min(limits.max_frame_bytes, MAX_ANSWER_BYTES) - ENVELOPE_BYTES;
  const answer = await answered(call, executor, maxBytes);
  return { type: call.type === "tool_call" ? "tool_result" : "data_response", id: call.id, ...answer };
}

async function answered(call: Call, executor: ToolExecutor, maxBytes: number): Promise<Answer> {
  try {
    const answer = await executor.execute(call, { maxBytes });
    return isTooLarge(answer, maxBytes) ? { error: tooLarge(maxBytes) } : answer;
  } catch {
    // The boundary of a call: the server waits for an answer, whatever happened.
    return { error: "Something went wrong on the device." };
  }
}
