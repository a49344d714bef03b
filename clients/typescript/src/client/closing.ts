/** What the codes of a close mean. Pure. */

const CREDENTIALS = 4401;
const REVOKED = 4403;
const TRY_LATER = 1013;

/** The closes after which a device does not reconnect: it is not allowed to, or the same would happen again. */
const FINAL: ReadonlySet<number> = new Set([1000, 1009, 4400, REVOKED, 4409]);

const SENTENCES: Readonly<Record<number, string>> = {
  1009: "A frame was larger than the server takes.",
  1012: "The server is restarting.",
  4400: "The server closed the connection: this device sent frames it cannot read.",
  4401: "The server closed the connection: sign in again.",
  4403: "The server closed the connection: access was revoked.",
  4408: "The server closed the connection: it heard nothing from this device.",
  4409: "The same device connected from elsewhere: another window or program uses this data.",
  4413: "The server closed the connection: this device read too slowly.",
};

export function isFinal(code: number | undefined): boolean {
  return code !== undefined && FINAL.has(code);
}

/** Whether a fresh token would help. */
export function isAboutToken(code: number | undefined): boolean {
  return code === CREDENTIALS;
}

/** Whether the server refuses devices for now. */
export function isForNow(code: number | undefined): boolean {
  return code === TRY_LATER;
}

export function isRevoked(code: number | undefined): boolean {
  return code === REVOKED;
}

export function sentenceOf(code: number | undefined): string {
  return (code === undefined ? undefined : SENTENCES[code]) ?? "The connection to the server broke off.";
}
