/** Calls the REST interface, and explains failures in words for the user. */
import { TOO_MANY, tooManySaid } from "../../i18n/client_texts";
import { t } from "../../i18n/translate";
import type { StoreApi } from "../../rpc/messages";

/** `message` is a sentence for the user; `code` is the server's, or empty. */
export class RestFailure extends Error {
  readonly code: string;

  constructor(message: string, code = "") {
    super(message);
    this.code = code;
  }
}

/** The one shape of the server's lists. */
export interface Page<Row> {
  readonly results: readonly Row[];
  readonly next: string | null;
}

interface ServerError {
  readonly code?: string;
  readonly message?: string;
  readonly details?: Readonly<Record<string, readonly string[]>>;
}

const UNAUTHORIZED = 401;
const BROKEN = 500;

/** The body of the answer. Throws `RestFailure`. */
export async function ask<T>(store: StoreApi, method: string, path: string, body?: unknown): Promise<T> {
  const answer = await store.rest(method, path, ...(body === undefined ? [] : [body])).catch((error: Error) => {
    throw new RestFailure(error.message);
  });
  if (answer.status >= 200 && answer.status < 300) {
    return answer.body as T;
  }
  throw failureOf(answer.status, (answer.body ?? {}) as ServerError);
}

function failureOf(status: number, { code = "", message, details }: ServerError): RestFailure {
  if (status === UNAUTHORIZED) {
    return new RestFailure(t("Your sign-in is no longer valid. Sign in again."), code);
  }
  if (code === TOO_MANY) {
    const { message: said, values } = tooManySaid(message ?? "");
    return new RestFailure(t(said, values), code);
  }
  // Without the names of fields, which are the server's: the pages call them otherwise.
  const inFields = Object.values(details ?? {}).flatMap((sentences) => sentences.map((sentence) => t(sentence)));
  const problem =
    status >= BROKEN ? t("The server has a problem at the moment.") : t("The server did not accept this.");
  return new RestFailure(inFields.length > 0 ? inFields.join(" ") : message === undefined ? problem : t(message), code);
}
