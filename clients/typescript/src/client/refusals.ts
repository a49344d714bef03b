/** Errors of the REST interface as exceptions. */
import { type AdiuvaError, ConnectionFailed, RequestRejected, Unauthorized } from "../errors.js";
import type { ErrorCode } from "../protocol/frames.js";

/** Whether this body is the server's own error, which has a code: a proxy on the way knows nothing of the request. */
export function isOfServer(said: unknown): boolean {
  return typeof (said as { code?: unknown } | null)?.code === "string";
}

/** The exception for an answer with this status and body: `ConnectionFailed` if trying again may help. */
export function refusalOf(status: number, said: unknown): AdiuvaError {
  const { message = `The server answers ${status}.`, code = "invalid" } = (said ?? {}) as {
    message?: string;
    code?: ErrorCode;
  };
  if (!isOfServer(said) && status !== TOO_LARGE) {
    return new ConnectionFailed(message);
  }
  if (status === 401) {
    return new Unauthorized(message);
  }
  const mayPass = status === 408 || status === 429 || status >= 500;
  return mayPass ? new ConnectionFailed(message, code) : new RequestRejected(message, code);
}

/** A body that a proxy refuses by its size will always be refused. */
const TOO_LARGE = 413;
