/** Text from the server as a frame. Pure. */
import type { ServerFrame } from "../protocol/frames.js";

/**
 * The frame in `data`. Its type may be unknown to this client; the caller ignores such frames.
 *
 * Null if it is no frame: the sender does not speak the protocol.
 */
export function readFrame(data: unknown): ServerFrame | null {
  try {
    const frame: unknown = typeof data === "string" ? JSON.parse(data) : null;
    const isFrame = typeof frame === "object" && frame !== null && "type" in frame && typeof frame.type === "string";
    return isFrame ? (frame as ServerFrame) : null;
  } catch {
    return null;
  }
}
