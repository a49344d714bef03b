/** Text from the server as a frame. Pure. */
import type { ServerFrame } from "../protocol/frames.js";

/**
 * The frame in `data`, whose type may be one that this client does not know: whoever takes it ignores those.
 *
 * Null for what is no frame at all: whoever sends it does not speak the protocol.
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
