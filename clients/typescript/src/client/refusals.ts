/** Errors of the REST interface as exceptions. */
import { type AdiuvaError, ConnectionFailed, RequestRejected, Unauthorized } from "../errors.js";
import type { ErrorCode } from "../protocol/frames.js";

/** The exception for an answer with this status and body: `ConnectionFailed` if trying again may help. */
export function refusalOf(status: number, said: unknown): AdiuvaError {
  const { message = `The server answers ${status}.`, code = "invalid" } = (said ?? {}) as {
    message?: string;
    code?: ErrorCode;
  };
  if (status === 401) {
    return new Unauthorized(message);
  }
  const mayPass = status === 408 || status === 429 || status >= 500;
  return mayPass ? new ConnectionFailed(message) : new RequestRejected(message, code);
}
