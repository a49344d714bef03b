/** A scripted server and a manual clock. */

import type { OpenSocket, SocketListener } from "../../src/index.js";
import { AdiuvaClient, type ClientFrame, type ClientOptions, type Clock, type ServerFrame } from "../../src/index.js";

export class FakeClock implements Clock {
  time = 1_000_000;
  #timers: { at: number; act: () => void }[] = [];

  now(): number {
    return this.time;
  }

  after(milliseconds: number, act: () => void): () => void {
    const timer = { at: this.time + milliseconds, act };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((each) => each !== timer);
    };
  }

  /** Advances the clock and runs the timers that are due on the way. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.time + milliseconds;
    for (;;) {
      const [next] = this.#timers.filter((timer) => timer.at <= end).sort((one, other) => one.at - other.at);
      if (next === undefined) {
        break;
      }
      this.time = next.at;
      this.#timers = this.#timers.filter((timer) => timer !== next);
      next.act();
      await settled();
    }
    this.time = end;
  }

  get waiting(): number {
    return this.#timers.length;
  }
}

/** Waits until everything that needs no time has happened. */
export async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

/** One connection as the server sees it. */
export class FakeSocket {
  readonly sent: ClientFrame[] = [];
  isClosed = false;

  constructor(
    readonly token: string,
    readonly listener: SocketListener,
  ) {}

  send(text: string): void {
    this.sent.push(JSON.parse(text) as ClientFrame);
  }

  close(): void {
    this.isClosed = true;
  }

  /** The frames after the hello. */
  get asked(): ClientFrame[] {
    return this.sent.slice(1);
  }

  async say(...frames: (ServerFrame | object)[]): Promise<void> {
    for (const frame of frames) {
      this.listener.received(JSON.stringify(frame));
    }
    await settled();
  }

  async end(code?: number): Promise<void> {
    this.listener.closed(code);
    await settled();
  }
}

export class FakeServer {
  readonly sockets: FakeSocket[] = [];
  readonly clock = new FakeClock();

  readonly open: OpenSocket = (_address, token, listener) => {
    const socket = new FakeSocket(token, listener);
    this.sockets.push(socket);
    return socket;
  };

  get last(): FakeSocket {
    const socket = this.sockets.at(-1);
    if (socket === undefined) {
      throw new Error("No client has connected.");
    }
    return socket;
  }

  async welcome(): Promise<FakeSocket> {
    await settled();
    const socket = this.last;
    socket.listener.opened();
    await socket.say({
      type: "device_welcome",
      connection_id: "c",
      server_time: this.clock.time,
      protocol: 3,
      heartbeat_s: 30,
      limits: { max_frame_bytes: 4 * 1024 * 1024, max_concurrent_requests: 8 },
      embedding: { model: "m", dimensions: 2 },
      running: [],
    });
    return socket;
  }
}

/** A client of that server, not started yet; pauses have their maximum length. */
export function clientOf(server: FakeServer, options: Partial<ClientOptions> = {}): AdiuvaClient {
  return new AdiuvaClient({
    server: "https://adiuva.example",
    sockets: server.open,
    token: async () => "token",
    device: { id: "laptop" },
    clock: server.clock,
    draw: () => 1,
    backoff: { firstMs: 1000, mostMs: 4000 },
    ...options,
  });
}

export async function online(server: FakeServer, options: Partial<ClientOptions> = {}): Promise<AdiuvaClient> {
  const client = clientOf(server, options);
  client.start();
  await server.welcome();
  return client;
}

export const ID = "11111111-1111-4111-8111-111111111111";

export function text(seq: number, chunk: string) {
  return { type: "stream_text", request_id: ID, chunk, seq };
}

export function end(seq: number, finishReason = "done") {
  return { type: "stream_end", request_id: ID, finish_reason: finishReason, mutations: [], seq };
}
