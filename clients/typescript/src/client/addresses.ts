/** Addresses of the server. */
import { AddressRefused } from "../errors.js";

/**
 * The address of `path` on `server`, such as `https://adiuva.example`.
 *
 * Throws `AddressRefused` for one that is no address of a server, or that is not encrypted and leads to another machine:
 * everyone on the way could read the tokens and the user's rows.
 */
export function addressOn(server: string, path: string): URL {
  const address = URL.canParse(path, server) ? new URL(path, server) : undefined;
  if (address === undefined || (address.protocol !== "https:" && address.protocol !== "http:")) {
    throw new AddressRefused(`${server} is no address of a server: it looks like https://adiuva.example.`);
  }
  if (address.protocol === "http:" && !LOOPBACK.test(address.hostname)) {
    throw new AddressRefused(
      `${address.origin} is not encrypted: use https://. Only a server on this machine may do without.`,
    );
  }
  return address;
}

/** The address of the server's socket. Throws as `addressOn`. */
export function socketAddress(server: string): string {
  const address = addressOn(server, "/api/v1/ws/device");
  address.protocol = address.protocol.replace(/^http/, "ws");
  return address.href;
}

/** How long an answer may take to be there, in ms: over a dead connection none ever comes. */
const LONGEST_MS = 60_000;
/** Of a picture, which may go over a slow connection. */
const LONGEST_OF_PICTURES_MS = 300_000;

/** `fetch` that ends, without redirections: the API has none, and one could lead to where nothing is encrypted. */
export function fetchThere(
  address: string,
  request: { method: string; headers: Record<string, string>; body: string | Blob | undefined },
) {
  const signal = AbortSignal.timeout(request.body instanceof Blob ? LONGEST_OF_PICTURES_MS : LONGEST_MS);
  return globalThis.fetch(address, { ...request, body: request.body ?? null, redirect: "error", signal });
}

/** Hosts as `URL` writes them: `127.1` is `127.0.0.1` there. */
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
