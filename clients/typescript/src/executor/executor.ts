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
   */
  execute(call: Call, options: { maxBytes: number }): Promise<Answer>;
}

/** The size of `answer` on the wire, in bytes. */
export function sizeOf(answer: Answer): number {
  return new TextEncoder().encode(JSON.stringify(answer)).length;
}

/** What is answered instead of an answer over `maxBytes`. */
export function tooLarge(maxBytes: number): string {
  return `The answer would be larger than ${maxBytes} bytes: ask for less.`;
}
