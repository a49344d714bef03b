/** Sockets as the client uses them, with adapters for those of platforms. */

const PROTOCOL = "adiuva.v3";

/** The events of a socket. `closed` is the last. */
export interface SocketListener {
  opened(): void;
  received(data: unknown): void;
  /** `code` is undefined when the connection broke off without one. */
  closed(code: number | undefined): void;
}

export interface Socket {
  send(text: string): void;
  close(): void;
}

/** Opens a socket to `address` with an access token, which never goes into the address. */
export type OpenSocket = (address: string, token: string, listener: SocketListener) => Socket;

/** The part of a WebSocket, a browser's or the package ws's, that is used here. */
interface WebSocketLike {
  addEventListener(type: "open" | "error", listener: () => void): void;
  addEventListener(type: "message", listener: (event: { data: unknown }) => void): void;
  addEventListener(type: "close", listener: (event: { code: number }) => void): void;
  send(text: string): void;
  close(code?: number): void;
}

/**
 * Sockets that send the token as a subprotocol, for browsers; Node 22 and Electron have such a class, too. Throws
 * `TypeError` where there is none.
 */
export function browserSockets(
  make: new (address: string, protocols: string[]) => WebSocketLike = globalThis.WebSocket,
): OpenSocket {
  if (make === undefined) {
    throw new TypeError("This platform has no WebSocket of its own: use headerSockets with the package ws.");
  }
  return (address, token, listener) => {
    return listenedTo(new make(address, [PROTOCOL, `adiuva.bearer.${token}`]), listener);
  };
}

/** Sockets that send the token in a header, for classes that accept headers, such as the package ws's. */
export function headerSockets(
  make: new (address: string, options: { headers: Record<string, string> }) => WebSocketLike,
): OpenSocket {
  return (address, token, listener) => {
    return listenedTo(new make(address, { headers: { Authorization: `Bearer ${token}` } }), listener);
  };
}

function listenedTo(socket: WebSocketLike, listener: SocketListener): Socket {
  socket.addEventListener("open", () => listener.opened());
  socket.addEventListener("message", (event) => listener.received(event.data));
  // A close follows. Without a listener ws would throw.
  socket.addEventListener("error", () => undefined);
  socket.addEventListener("close", (event) => listener.closed(event.code === NO_CODE ? undefined : event.code));
  return {
    send: (text) => socket.send(text),
    close: () => socket.close(NORMAL),
  };
}

const NORMAL = 1000;
/** The close code of a WebSocket for a lost connection. */
const NO_CODE = 1006;
