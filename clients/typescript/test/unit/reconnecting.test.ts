/** Connecting and reconnecting. */
import { expect, test, vi } from "vitest";
import {
  Account,
  AddressRefused,
  browserSockets,
  ConnectionEnded,
  ConnectionFailed,
  noteEmbedder,
  socketAddress,
  type TokenReason,
  Unauthorized,
} from "../../src/index.js";
import { clientOf, FakeServer, ID, online, settled } from "./fakes.js";

test("a platform without a WebSocket is told so at once", () => {
  vi.stubGlobal("WebSocket", undefined);
  try {
    expect(() => browserSockets()).toThrow(TypeError);
  } finally {
    vi.unstubAllGlobals();
  }
});

test("the hello says who and what the device is", async () => {
  const server = new FakeServer();
  await online(server, {
    device: { id: "laptop", platform: "linux", timezone: "Europe/Rome" },
    executor: { capabilities: ["page_details", "ledger"], execute: async () => ({ ok: true }) },
    approve: async () => null,
    jobs: { note: () => undefined, deliver: async () => true },
    remembered: true,
  });

  expect(server.last.sent).toEqual([
    {
      type: "device_hello",
      device_id: "laptop",
      protocol: 3,
      platform: "linux",
      timezone: "Europe/Rome",
      capabilities: ["pong", "page_details", "ledger", "approvals", "job_ack", "remembered"],
    },
  ]);
});

test("a device without data, questions and jobs claims nothing", async () => {
  const server = new FakeServer();
  await online(server);

  expect(server.last.sent).toMatchObject([{ capabilities: ["pong"] }]);
});

test.each([
  ["https://adiuva.example", "wss://adiuva.example/api/v1/ws/device"],
  ["http://127.0.0.1:8000/app/", "ws://127.0.0.1:8000/api/v1/ws/device"],
])("the socket of %s is at %s", (server, socket) => {
  expect(socketAddress(server)).toBe(socket);
});

test.each(["https://192.168.1.5", "http://localhost:8000", "http://127.1", "http://[::1]:8000"])(
  "%s is encrypted or on this machine",
  (server) => {
    expect(new URL(socketAddress(server)).host).toBe(new URL(server).host);
  },
);

test.each([
  "http://adiuva.example",
  "http://192.168.1.5:8000",
  "http://localhost.example.com",
  "http://127.0.0.1.example.com",
  "http://localhost@adiuva.example",
  "ws://localhost",
  "ftp://localhost",
  "adiuva.example",
  "",
])("no token is sent to %s", (server) => {
  const tokens = () => expect.unreachable("no token is asked for");
  const store = { load: tokens, save: tokens };
  expect(() => socketAddress(server)).toThrow(AddressRefused);
  expect(() => clientOf(new FakeServer(), { server, token: tokens })).toThrow(AddressRefused);
  expect(() => new Account({ server, store })).toThrow(AddressRefused);
  expect(() => noteEmbedder({ server, token: tokens, deviceId: "laptop" })).toThrow(AddressRefused);
});

test("pauses grow to their limit, and begin anew after a welcome", async () => {
  const server = new FakeServer();
  const client = await online(server);
  const pauses: number[] = [];
  client.onState((state) => state.at === "waiting" && pauses.push(state.until - server.clock.time));

  for (let count = 0; count < 4; count += 1) {
    await server.last.end();
    await server.clock.pass(4000);
  }
  await server.welcome();
  await server.last.end(1012);

  expect(pauses).toEqual([1000, 2000, 4000, 4000, 1000]);
});

test("pauses are random, so that clients do not all come back at once", async () => {
  const server = new FakeServer();
  const client = await online(server, { draw: () => 0.25 });

  await server.last.end();

  expect(client.state).toMatchObject({ at: "waiting", until: server.clock.time + 250 });
  await server.clock.pass(249);
  expect(server.sockets).toHaveLength(1);
  await server.clock.pass(1);
  expect(server.sockets).toHaveLength(2);
});

test("a server that stops is left alone for as long as it asks", async () => {
  const server = new FakeServer();
  const client = await online(server);

  await server.last.say({ type: "server_shutdown", retry_after_ms: 5000 });
  await server.last.end(1012);

  expect(client.state).toMatchObject({ at: "waiting", until: server.clock.time + 6000 });
});

test("a server that refuses devices for now is left alone for two seconds at least", async () => {
  const server = new FakeServer();
  const client = await online(server);

  await server.last.end(1013);

  expect(client.state).toMatchObject({ at: "waiting", until: server.clock.time + 3000 });
});

test.each([1000, 1009, 4400, 4403, 4409])("after %d there is no way back", async (code) => {
  const server = new FakeServer();
  const client = await online(server);
  const turn = client.home({ message: "hello" });

  await server.last.end(code);
  await server.clock.pass(600_000);

  expect(server.sockets).toHaveLength(1);
  expect(client.state.at).toBe("ended");
  await expect(turn.done()).rejects.toBeInstanceOf(code === 4403 ? Unauthorized : ConnectionEnded);
  expect(server.clock.waiting).toBe(0);
});

test.each([undefined, 1011, 1012, 4408, 4413])("after %s the client comes back", async (code) => {
  const server = new FakeServer();
  const client = await online(server);

  await server.last.end(code);
  await server.clock.pass(1000);
  await server.welcome();

  expect(client.state.at).toBe("online");
});

test("after its end a client can be started again", async () => {
  const server = new FakeServer();
  const client = await online(server);
  await server.last.end(4403);

  client.start();
  await server.welcome();

  expect(client.state.at).toBe("online");
});

test("waking ends the pause", async () => {
  const server = new FakeServer();
  const client = await online(server);
  await server.last.end();

  client.wake();
  await settled();

  expect(server.sockets).toHaveLength(2);
  await server.clock.pass(5000);
  expect(server.sockets).toHaveLength(2);
});

test("waking finds out that a connection is gone, though no timer ran", async () => {
  const server = new FakeServer();
  const client = await online(server);
  server.clock.time += 74_999;
  client.wake();
  expect(client.state.at).toBe("online");

  server.clock.time += 1;
  client.wake();
  await server.welcome();

  expect(server.sockets.map((socket) => socket.isClosed)).toEqual([true, false]);
  expect(client.state.at).toBe("online");
});

test("a lost network ends the connection at once, and what is asked then is sent on the next", async () => {
  const server = new FakeServer();
  const client = await online(server);

  client.networkLost();
  expect(client.state.at).toBe("waiting");
  expect(server.last.isClosed).toBe(true);
  const turn = client.home({ message: "Hello?" });
  await server.clock.pass(1000);
  await server.welcome();

  expect(server.sockets).toHaveLength(2);
  expect(server.last.sent).toContainEqual(expect.objectContaining({ request_id: turn.requestId }));
});

test("another language is told in a new hello, at once and once", async () => {
  const server = new FakeServer();
  const client = await online(server, { device: { id: "laptop", language: "en" } });
  const turn = client.home({ message: "Hello?" });

  client.speak("it");
  client.speak("it");
  await server.welcome();

  expect(server.sockets.map(({ isClosed }) => isClosed)).toEqual([true, false]);
  expect(server.last.sent).toMatchObject([{ language: "it" }, { request_id: turn.requestId }]);
});

test("another language that is spoken before the connection is in its hello", async () => {
  const server = new FakeServer();
  const client = clientOf(server, { device: { id: "laptop", language: "en" } });
  client.speak("it");
  client.start();
  await server.welcome();

  expect(server.last.sent).toMatchObject([{ language: "it" }]);
});

test("a server that does not answer the hello is left after ten seconds", async () => {
  const server = new FakeServer();
  const client = clientOf(server);
  client.start();
  await settled();
  server.last.listener.opened();

  await server.clock.pass(10_000);

  expect(server.last.isClosed).toBe(true);
  expect(client.state.at).toBe("waiting");
});

test("pings are answered, and a connection that falls silent is given up", async () => {
  const server = new FakeServer();
  const client = await online(server);
  const socket = server.last;
  for (let count = 0; count < 3; count += 1) {
    await server.clock.pass(30_000);
    await socket.say({ type: "ping" });
  }
  expect(socket.asked).toEqual([{ type: "pong" }, { type: "pong" }, { type: "pong" }]);

  await server.clock.pass(74_999);
  expect(client.state.at).toBe("online");
  await server.clock.pass(1);

  expect(socket.isClosed).toBe(true);
  expect(client.state.at).toBe("waiting");
});

test("before a token expires a fresh one is sent", async () => {
  const server = new FakeServer();
  const reasons: TokenReason[] = [];
  await online(server, {
    token: async (reason) => {
      reasons.push(reason);
      return `token for ${reason}`;
    },
  });

  await server.last.say({ type: "token_expiring", expires_at: 1 });

  expect(reasons).toEqual(["connect", "expiring"]);
  expect(server.last.asked).toEqual([{ type: "authenticate", token: "token for expiring" }]);
});

test("a token that expired is replaced on the way back", async () => {
  const server = new FakeServer();
  await online(server, { token: async (reason) => reason });

  await server.last.say({ type: "error", code: "token_expired", message: "Expired.", retryable: false });
  await server.last.end(4401);
  await server.clock.pass(1000);

  expect(server.last.token).toBe("refused");
});

test("a fresh token that is refused ends the client", async () => {
  const server = new FakeServer();
  const client = clientOf(server);
  client.start();
  for (let count = 0; count < 2; count += 1) {
    await settled();
    server.last.listener.opened();
    await server.last.say({ type: "error", code: "unauthorized", message: "Sign in.", retryable: false });
    await server.last.end(4401);
    await server.clock.pass(2000);
  }

  expect(server.sockets).toHaveLength(2);
  expect(client.state).toMatchObject({ at: "ended", why: new Unauthorized("Sign in.") });
  await expect(client.online()).rejects.toBeInstanceOf(Unauthorized);
});

test("without a token the user must sign in, and without a network the client waits", async () => {
  const errors = [new ConnectionFailed(), new Unauthorized("No one is signed in.")];
  const server = new FakeServer();
  const client = clientOf(server, {
    token: async () => {
      throw errors.shift();
    },
  });

  client.start();
  await settled();
  expect(client.state.at).toBe("waiting");
  await server.clock.pass(1000);

  expect(client.state).toMatchObject({ at: "ended", why: { message: "No one is signed in." } });
});

test("a socket that cannot be made is tried for again", async () => {
  const server = new FakeServer();
  const client = clientOf(server, {
    sockets: () => {
      throw new SyntaxError("no such address");
    },
  });

  client.start();
  await settled();

  expect(client.state.at).toBe("waiting");
});

test("a server that does not speak the protocol is not tried again", async () => {
  const server = new FakeServer();
  const client = await online(server);

  server.last.listener.received("<html>");

  expect(client.state.at).toBe("ended");
  expect(server.last.isClosed).toBe(true);
});

test("unknown frames are ignored", async () => {
  const server = new FakeServer();
  const client = await online(server);

  await server.last.say({ type: "nudge", request_id: ID }, { type: "text_chunk", text: "old" });

  expect(client.state.at).toBe("online");
  expect(server.last.asked).toEqual([]);
});

test("closing stops everything", async () => {
  const server = new FakeServer();
  const client = await online(server);
  const turn = client.home({ message: "hello" });

  client.close();

  await expect(turn.done()).rejects.toBeInstanceOf(ConnectionEnded);
  expect(server.last.isClosed).toBe(true);
  expect(server.clock.waiting).toBe(0);
});

test("an old connection that still speaks is not heard", async () => {
  const server = new FakeServer();
  const client = await online(server);
  const old = server.last;
  await old.end();
  await server.clock.pass(1000);
  await server.welcome();

  await old.end(4403);
  await old.say({ type: "server_shutdown", retry_after_ms: 9000 });

  expect(client.state.at).toBe("online");
});

test("a failing listener stops neither other listeners nor turns", async () => {
  const server = new FakeServer();
  const faults: unknown[] = [];
  const client = await online(server, { onFault: (error) => faults.push(error) });
  const seen: string[] = [];
  client.onState(() => {
    throw new RangeError("the page's own");
  });
  client.onState((state) => seen.push(state.at));
  client.home({ message: "hello" }, ID);

  await server.last.end();
  await server.clock.pass(1000);
  await server.welcome();

  expect(seen).toEqual(["waiting", "connecting", "online"]);
  expect(faults).toHaveLength(3);
  expect(server.last.asked).toHaveLength(1);
});
