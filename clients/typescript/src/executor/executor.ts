/** Whoever answers the server's calls into the user's data. */
import type { DataRequest, DataResponse, MutationFrame, ToolCallFrame } from "../protocol/frames.js";

/** A call as it came. The fields are the server's word: an executor has to answer a malformed one, too. */
export type Call = ToolCallFrame | DataRequest | MutationFrame;

/** What an answer frame has beside its type and id: the one field that says what came of the call. */
export type Answer = Omit<DataResponse, "type" | "id">;

/** What the executor can do beyond the oldest client; said in the hello. */
export type DataCapability = "page_details" | "ledger";

/** The largest answer that the protocol allows, in bytes. */
export const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

export interface ToolExecutor {
  readonly capabilities: readonly DataCapability[];
  /**
   * The answer to a call. Never rejects: whatever goes wrong is an answer `{error: sentence}`.
   *
   * An answer of more than `maxBytes` becomes an error too; a write whose answer would be one does not happen.
   * `embeddingModel` is what made the vectors in calls.
   */
  execute(call: Call, options: { maxBytes: number; embeddingModel?: string }): Promise<Answer>;
}

/** Whether `answer` is more than `maxBytes` on the wire. */
export function isTooLarge(answer: Answer, maxBytes: number): boolean {
  const text = JSON.stringify(answer);
  // A character has one to three bytes a unit, so most answers need not be encoded to know.
  return text.length > maxBytes || (text.length * 3 > maxBytes && new TextEncoder().encode(text).length > maxBytes);
}

/** What is answered instead of an answer over `maxBytes`. */
export function tooLarge(maxBytes: number): string {
  return `The answer would be larger than ${maxBytes} bytes: ask for less.`;
}
