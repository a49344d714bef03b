/** The port that answers the server's calls into the user's data. */
import type { DataRequest, DataResponse, MutationFrame, ToolCallFrame, UndoResult } from "../protocol/frames.js";

/** A call as it arrived. Its fields are not validated: an executor has to answer a malformed call, too. */
export type Call = ToolCallFrame | DataRequest | MutationFrame;

/** An answer frame without its type and id: the one field with the call's result. */
export type Answer = Omit<DataResponse, "type" | "id">;

/** What the executor can do beyond the oldest client; sent in the hello. */
export type DataCapability = "page_details" | "ledger" | "counts" | "undo";

/**
 * Changes to undo: of a call, of a request, of a day, or of an agent or program, since a time (milliseconds), of a day
 * or for its latest request.
 */
export type UndoWhat =
  | { readonly call: string }
  | { readonly request: string }
  | { readonly by: string; readonly since?: number }
  | { readonly by: string; readonly day: string }
  | { readonly day: string };

/** What came of an undo. `id` names it, if it undid anything: `{call: id}` does that again. */
export interface Undone extends UndoResult {
  readonly id: string | null;
}

/** The largest answer that the protocol allows, in bytes. */
export const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

export interface ToolExecutor {
  readonly capabilities: readonly DataCapability[];
  /**
   * The answer to a call. Never rejects: every failure is an answer `{error: sentence}`.
   *
   * An answer of more than `maxBytes` becomes an error too; a write with such an answer is not made.
   * `embeddingModel` made the vectors in calls.
   */
  execute(call: Call, options: { maxBytes: number; embeddingModel?: string }): Promise<Answer>;
  /** Undoes changes for the user. If a row was changed since, nothing is undone, unless `isPartial`. */
  undo?(what: UndoWhat, options?: { isPartial?: boolean }): Promise<Undone>;
}

/** Whether `answer` is more than `maxBytes` on the wire. */
export function isTooLarge(answer: Answer, maxBytes: number): boolean {
  const text = JSON.stringify(answer);
  // A code unit takes one to three bytes, so most answers need not be encoded to know.
  return text.length > maxBytes || (text.length * 3 > maxBytes && new TextEncoder().encode(text).length > maxBytes);
}

/** The answer that replaces one over `maxBytes`. */
export function tooLarge(maxBytes: number): string {
  return `The answer would be larger than ${maxBytes} bytes: ask for less.`;
}
