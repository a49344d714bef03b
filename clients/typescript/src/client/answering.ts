/** The server's calls into the user's data, and the frames that answer them. */
import {
  type Answer,
  type Call,
  isTooLarge,
  MAX_ANSWER_BYTES,
  type ToolExecutor,
  tooLarge,
} from "../executor/executor.js";
import type { ClientFrame, DeviceWelcome } from "../protocol/frames.js";

/** The rest of an answer frame: its type and its id. */
const ENVELOPE_BYTES = 1024;

/** The frame that answers `call` of the server that sent `welcome`; null for a call without an id. */
export async function answerTo(
  call: Call,
  executor: ToolExecutor,
  welcome: DeviceWelcome,
): Promise<ClientFrame | null> {
  if (typeof call.id !== "string") {
    return null;
  }
  const maxBytes = Math.min(welcome.limits.max_frame_bytes, MAX_ANSWER_BYTES) - ENVELOPE_BYTES;
  const answer = await answered(call, executor, { maxBytes, embeddingModel: welcome.embedding.model });
  return { type: call.type === "tool_call" ? "tool_result" : "data_response", id: call.id, ...answer };
}

async function answered(
  call: Call,
  executor: ToolExecutor,
  options: { maxBytes: number; embeddingModel: string },
): Promise<Answer> {
  const { maxBytes } = options;
  try {
    const answer = await executor.execute(call, options);
    return isTooLarge(answer, maxBytes) ? { error: tooLarge(maxBytes) } : answer;
  } catch {
    // The boundary of a call: the server waits for an answer in any case.
    return { error: "Something went wrong on the device." };
  }
}
