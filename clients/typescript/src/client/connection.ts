/** One connection: its handshake, hello, heartbeat and close. */
import type { Clock } from "../ports.js";
import type { ClientFrame, DeviceHello, DeviceWelcome, ErrorFrame, ServerFrame } from "../protocol/frames.js";
import { readFrame } from "./reading.js";
import type { OpenSocket, Socket } from "./sockets.js";

const WELCOME_MS = 10_000;
/** A connection that was silent for more than two heartbeats is lost. */
const SILENT_HEARTBEATS = 2.5;

/** How a connection ended. */
export interface Ending {
  /** The close code, if one came. */
  readonly code: number | undefined;
  /** The error that the server sent instead of its welcome. */
  readonly refusal: ErrorFrame | undefined;
  /** Whether the other side does not speak the protocol. */
  readonly isUnreadable: boolean;
}

export interface ConnectionListener {
  welcomed(welcome: DeviceWelcome): void;
  /** A frame after the welcome; pings are answered here. */
  received(frame: ServerFrame): void;
  /** Called once, for any reason. */
  closed(ending: Ending): void;
}

/** The constructor throws what opening the socket throws. */
export class Connection {
  readonly #clock: Clock;
  readonly #hello: DeviceHello;
  readonly #listener: ConnectionListener;
  readonly #socket: Socket;
  #stopWatch: () => void;
  #silenceMs = WELCOME_MS;
  #lastHeard: number;
  #isWelcome = false;
  #isClosed = false;
  #refusal: ErrorFrame | undefined;

  constructor(
    open: OpenSocket,
    { address, token, hello, clock }: { address: string; token: string; hello: DeviceHello; clock: Clock },
    listener: ConnectionListener,
  ) {
    this.#clock = clock;
    this.#hello = hello;
    this.#listener = listener;
    this.#lastHeard = clock.now();
    this.#stopWatch = clock.after(WELCOME_MS, () => this.#watch());
    try {
      this.#socket = open(address, token, {
        opened: () => this.#write(this.#hello),
        received: (data) => this.#read(data),
        closed: (code) => this.#end({ code }),
      });
    } catch (error) {
      this.#stopWatch();
      throw error;
    }
  }

  /** Whether it was sent. If it is lost on the way, the server asks again. */
  send(frame: ClientFrame): boolean {
    return this.#isWelcome && !this.#isClosed && this.#write(frame);
  }

  /** Checks now whether it has been silent for too long: timers may have stopped while the machine slept. */
  check(): void {
    if (!this.#isClosed) {
      this.#stopWatch();
      this.#watch();
    }
  }

  close(): void {
    this.#end({ code: undefined });
    this.#socket.close();
  }

  #write(frame: ClientFrame): boolean {
    try {
      this.#socket.send(JSON.stringify(frame));
      return true;
    } catch {
      // It is closing, and will report that.
      return false;
    }
  }

  #read(data: unknown): void {
    if (this.#isClosed) {
      return;
    }
    this.#lastHeard = this.#clock.now();
    const frame = readFrame(data);
    if (frame === null) {
      this.#end({ code: undefined, isUnreadable: true });
      this.#socket.close();
    } else if (frame.type === "ping") {
      this.#write({ type: "pong" });
    } else if (this.#isWelcome) {
      this.#listener.received(frame);
    } else {
      this.#greet(frame);
    }
  }

  #greet(frame: ServerFrame): void {
    if (frame.type === "error") {
      this.#refusal = frame;
    } else if (frame.type === "device_welcome") {
      this.#isWelcome = true;
      this.#silenceMs = frame.heartbeat_s * 1000 * SILENT_HEARTBEATS;
      this.#stopWatch();
      this.#stopWatch = this.#clock.after(this.#silenceMs, () => this.#watch());
      this.#listener.welcomed(frame);
    }
  }

  #watch(): void {
    const left = this.#lastHeard + this.#silenceMs - this.#clock.now();
    if (left > 0) {
      this.#stopWatch = this.#clock.after(left, () => this.#watch());
    } else {
      this.close();
    }
  }

  #end({ code, isUnreadable = false }: { code: number | undefined; isUnreadable?: boolean }): void {
    if (this.#isClosed) {
      return;
    }
    this.#isClosed = true;
    this.#stopWatch();
    this.#listener.closed({ code, refusal: this.#refusal, isUnreadable });
  }
}
