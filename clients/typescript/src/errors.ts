/**
 * Every error of the client.
 *
 * AdiuvaError
 * ├── CallRefused        a call into the tables asks for something that is not possible
 * ├── CopyRefused        a file is no copy of a user's data, is of a newer version, or is damaged
 * ├── DatabaseUnusable   the database is of another program or version, or lacks a function it needs
 * ├── DatabaseFailed     SQLite could not run a statement
 * ├── AddressRefused     the server's address is none, or nothing on the way there is encrypted
 * ├── Unauthorized       the server does not accept the credentials
 * ├── ConnectionFailed   no server answers, or it does not speak the protocol
 * ├── ConnectionEnded    the connection is closed for good; `code` is the close code, if there is one
 * ├── Forgotten          what should be corrected is not remembered any more
 * ├── RequestRejected    the server did not begin the request; `code` is one of the protocol's error codes
 * └── AnswerLost         the server no longer has the answer that it had begun
 */
import type { ErrorCode } from "./protocol/frames.js";

export class AdiuvaError extends Error {
  override name = this.constructor.name;
}

export class CallRefused extends AdiuvaError {}

export class CopyRefused extends AdiuvaError {
  /** What is wrong in a copy that is damaged. */
  readonly detail: string | undefined;

  constructor(message: string, { detail, ...options }: ErrorOptions & { detail?: string } = {}) {
    super(message, options);
    this.detail = detail;
  }
}

export class DatabaseUnusable extends AdiuvaError {}

export class DatabaseFailed extends AdiuvaError {}

export class AddressRefused extends AdiuvaError {}

export class Unauthorized extends AdiuvaError {
  /** For a refused form: the code of the REST error, and the problems of each field. */
  readonly code: string | undefined;
  readonly details: Readonly<Record<string, readonly string[]>>;

  constructor(
    message = "The server did not accept the credentials.",
    { code, details = {} }: { code?: string | undefined; details?: Readonly<Record<string, readonly string[]>> } = {},
  ) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

export class ConnectionFailed extends AdiuvaError {
  /** That of the server's REST error, such as `rate_limited`; undefined if there is none. */
  readonly code: string | undefined;

  constructor(message = "The server cannot be reached.", code?: string) {
    super(message);
    this.code = code;
  }
}

export class ConnectionEnded extends AdiuvaError {
  readonly code: number | undefined;

  constructor(message = "The connection is closed.", code?: number) {
    super(message);
    this.code = code;
  }
}

export class Forgotten extends AdiuvaError {
  constructor(message = "It is not remembered any more.") {
    super(message);
  }
}

export class RequestRejected extends AdiuvaError {
  readonly code: ErrorCode;
  readonly retryable: boolean;

  constructor(message: string, code: ErrorCode, retryable = false) {
    super(message);
    this.code = code;
    this.retryable = retryable;
  }
}

export class AnswerLost extends AdiuvaError {
  constructor(
    message = "The answer was cut off: the server no longer has it, as after a restart. What it changed stays. Ask again.",
  ) {
    super(message);
  }
}
