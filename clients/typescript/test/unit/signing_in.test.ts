/** Tokens: stored before they are used, renewed once for all callers. */
import { expect, onTestFinished, test, vi } from "vitest";
import { Account, ConnectionFailed, type Fetch, Unauthorized } from "../../src/index.js";
import { settled } from "./fakes.js";

interface Asked {
  address: string;
  body: unknown;
}

function account(answers: (object | number | Error)[], kept: string | null = "r0") {
  const asked: Asked[] = [];
  const saved: (string | null)[] = [];
  let refresh = kept;
  const fetch: Fetch = async (address, { body }) => {
    asked.push({ address, body: JSON.parse(body) });
    const answer = answers.shift() ?? 204;
    if (answer instanceof Error) {
      throw answer;
    }
    const status = typeof answer === "number" ? answer : 200;
    const said = typeof answer === "number" ? { code: "unauthorized", message: "No." } : answer;
    return { ok: status < 400, status, json: async () => said };
  };
  const store = {
    load: async () => refresh,
    save: async (token: string | null) => {
      saved.push(token);
      refresh = token;
    },
  };
  return { account: new Account({ server: "https://adiuva.example", store, fetch }), asked, saved };
}

test("signing in keeps the refresh token and gives the access token", async () => {
  const { account: mine, asked, saved } = account([{ access: "a1", refresh: "r1" }], null);
  expect(await mine.isSignedIn()).toBe(false);

  await mine.signIn("alice@example.com", "secret");

  expect(asked).toEqual([
    { address: "https://adiuva.example/api/v1/auth/token", body: { email: "alice@example.com", password: "secret" } },
  ]);
  expect(saved).toEqual(["r1"]);
  expect(await mine.token("connect")).toBe("a1");
  expect(asked).toHaveLength(1);
});

test("who asks for a token while those of a sign-in are stored gets one of these", async () => {
  const asked: string[] = [];
  let stored: () => void = () => undefined;
  const mine = new Account({
    server: "https://adiuva.example",
    store: {
      load: async () => "r0",
      save: () =>
        new Promise((resolve) => {
          stored = resolve;
        }),
    },
    fetch: async (address) => {
      asked.push(address.split("/auth/")[1] ?? "");
      return { ok: true, status: 200, json: async () => ({ access: "a1", refresh: "r1" }) };
    },
  });
  const signingIn = mine.signIn("alice@example.com", "secret");
  await settled();
  const token = mine.token("connect");
  await settled();

  stored();
  await signingIn;
  expect([await token, asked]).toEqual(["a1", ["token"]]);
});

test("callers during a renewal wait for the same token", async () => {
  const { account: mine, asked, saved } = account([{ access: "a1", refresh: "r1" }]);

  expect(await Promise.all([mine.token("connect"), mine.token("refused"), mine.token("expiring")])).toEqual([
    "a1",
    "a1",
    "a1",
  ]);
  expect(asked).toHaveLength(1);
  expect(saved).toEqual(["r1"]);
});

test("a refresh token that is refused is dropped, and the user must sign in", async () => {
  const { account: mine, saved } = account([401]);

  await expect(mine.token("refused")).rejects.toMatchObject({ name: "Unauthorized", message: "No." });
  expect(saved).toEqual([null]);
  await expect(mine.token("connect")).rejects.toEqual(new Unauthorized("No one is signed in."));
});

test.each([new TypeError("offline"), 503, 429])("without an answer the token stays (%s)", async (trouble) => {
  const { account: mine, saved } = account([trouble, { access: "a1", refresh: "r1" }]);

  await expect(mine.token("connect")).rejects.toBeInstanceOf(ConnectionFailed);
  expect(saved).toEqual([]);
  expect(await mine.token("connect")).toBe("a1");
});

test.each([
  [400, {}],
  [401, null],
  [403, { message: "Blocked.", code: 1020 }],
  [403, { message: "Only over HTTPS.", code: "https_required" }],
])("a proxy's refusal leaves the token (%s, %j)", async (status, said) => {
  const saved: (string | null)[] = [];
  const mine = new Account({
    server: "https://adiuva.example",
    store: { load: async () => "r0", save: async (token) => void saved.push(token) },
    fetch: async () => ({ ok: false, status, json: async () => said }),
  });

  await expect(mine.token("connect")).rejects.toBeInstanceOf(ConnectionFailed);
  expect(saved).toEqual([]);
});

test("signing out forgets the tokens first, regardless of the server's answer", async () => {
  const { account: mine, asked, saved } = account([new TypeError("offline")]);

  await mine.signOut();

  expect(saved).toEqual([null]);
  expect(asked).toMatchObject([{ address: "https://adiuva.example/api/v1/auth/logout", body: { refresh: "r0" } }]);
});

/** An account whose renewal is in progress until `renewed` gets its answer. */
async function renewing() {
  const asked: [string, unknown][] = [];
  let refresh: string | null = "r0";
  let renewed: (status: number) => void = () => undefined;
  const renewal = new Promise<number>((resolve) => {
    renewed = resolve;
  });
  const fetch: Fetch = async (address, { body }) => {
    const what = address.split("/auth/")[1] ?? "";
    asked.push([what, JSON.parse(body)]);
    const status = what === "token/refresh" ? await renewal : 200;
    const tokens = what === "token" ? { access: "a2", refresh: "r2" } : { access: "a1", refresh: "r1" };
    const said = status < 400 ? tokens : { code: "unauthorized", message: "No." };
    return { ok: status < 400, status, json: async () => said };
  };
  const store = {
    load: async () => refresh,
    save: async (token: string | null) => {
      refresh = token;
    },
  };
  const mine = new Account({ server: "https://adiuva.example", store, fetch });
  const token = mine.token("expiring");
  await vi.waitFor(() => expect(asked).toHaveLength(1));
  return { account: mine, token, asked, renewed, kept: () => refresh };
}

test("who signs out during a renewal is signed out, and its new tokens are ended too", async () => {
  const { account: mine, token, asked, renewed, kept } = await renewing();

  await mine.signOut();
  renewed(200);

  await expect(token).rejects.toEqual(new Unauthorized("No one is signed in."));
  expect(asked.slice(1)).toEqual([
    ["logout", { refresh: "r0" }],
    ["logout", { refresh: "r1" }],
  ]);
  expect(kept()).toBeNull();
  await expect(mine.token("connect")).rejects.toBeInstanceOf(Unauthorized);
});

test.each([200, 401])("a renewal leaves the tokens of who signs in meanwhile (%s)", async (status) => {
  const { account: mine, token, renewed, kept } = await renewing();

  await mine.signIn("bob@example.com", "secret");
  renewed(status);

  expect(await token).toBe("a2");
  expect(await mine.token("connect")).toBe("a2");
  expect(kept()).toBe("r2");
});

test.each([204, {}, { access: "a1" }])("an answer without tokens is none of the server (%j)", async (answer) => {
  const { account: mine, saved } = account([answer, answer]);

  await expect(mine.signIn("alice@example.com", "secret")).rejects.toBeInstanceOf(ConnectionFailed);
  await expect(mine.token("refused")).rejects.toBeInstanceOf(ConnectionFailed);
  expect(saved).toEqual([]);
});

test("errors of a form are reported field by field", async () => {
  const problem = { code: "invalid", message: "Not valid.", details: { password: ["Too short."] } };
  const refusing = new Account({
    server: "https://adiuva.example",
    store: { load: async () => null, save: async () => undefined },
    fetch: async () => ({ ok: false, status: 400, json: async () => problem }),
  });

  await expect(refusing.register("alice@example.com", "x")).rejects.toMatchObject(problem);
});

test("a new password goes with a fresh token, and its tokens replace the old ones", async () => {
  const fresh = { access: "a1", refresh: "r1" };
  const { account: mine, asked, saved } = account([fresh, { access: "a2", refresh: "r2" }]);

  await mine.changePassword("a new secret", { password: "secret", code: "123456" });

  expect(asked.at(-1)).toEqual({
    address: "https://adiuva.example/api/v1/auth/password",
    body: { new_password: "a new secret", password: "secret", code: "123456" },
  });
  expect(saved).toEqual(["r1", "r2"]);
  expect(await mine.token("connect")).toBe("a2");
});

/** A change of the password that is in progress until `changed` is called. */
async function changing() {
  const asked: [string, unknown][] = [];
  let refresh: string | null = "r1";
  let renewal = 0;
  const held: Record<string, (answer: { status: number; said: unknown }) => void> = {};
  const fetch: Fetch = async (address, { body }) => {
    const what = address.split("/auth/")[1] ?? "";
    asked.push([what, JSON.parse(body)]);
    renewal += what === "token/refresh" ? 1 : 0;
    const { status, said } =
      what === "password" || renewal === 2
        ? await new Promise<{ status: number; said: unknown }>((resolve) => {
            held[what] = resolve;
          })
        : { status: 200, said: { access: "a2", refresh: "r2" } };
    return { ok: status < 400, status, json: async () => said };
  };
  const store = {
    load: async () => refresh,
    save: async (token: string | null) => {
      refresh = token;
    },
  };
  const mine = new Account({ server: "https://adiuva.example", store, fetch });
  const change = mine.changePassword("a new secret", { password: "secret" });
  await vi.waitFor(() => expect(held).toHaveProperty("password"));
  const answer = (what: string, status: number, said: unknown) => held[what]?.({ status, said });
  return { account: mine, change, asked, answer, kept: () => refresh };
}

test("who signs out while the password is being changed is signed out", async () => {
  const { account: mine, change, asked, answer, kept } = await changing();

  await mine.signOut();
  answer("password", 200, { access: "a3", refresh: "r3" });
  await change;

  expect(kept()).toBeNull();
  expect(asked.at(-1)).toEqual(["logout", { refresh: "r3" }]);
});

test("a renewal that a new password ends leaves the new tokens", async () => {
  const { account: mine, change, answer, kept } = await changing();
  const token = mine.token("expiring");
  await settled();

  answer("password", 200, { access: "a3", refresh: "r3" });
  await change;
  answer("token/refresh", 401, { code: "unauthorized", message: "No." });

  expect(await token).toBe("a3");
  expect(kept()).toBe("r3");
});

test("a passkey signs in like a password", async () => {
  const { account: mine, asked, saved } = account([{ challenge: "c" }, { access: "a1", refresh: "r1" }], null);

  expect(await mine.passkeyOptions()).toEqual({ challenge: "c" });
  await mine.signInByPasskey({ id: "credential" });

  expect(asked.map(({ address }) => address.split("/auth/")[1])).toEqual([
    "passkeys/sign-in/options",
    "passkeys/sign-in",
  ]);
  expect(asked.at(-1)?.body).toEqual({ credential: { id: "credential" } });
  expect(saved).toEqual(["r1"]);
});

test("over a connection that is dead a request ends, and the next one may pass", async () => {
  onTestFinished(() => void vi.restoreAllMocks());
  const late = new AbortController();
  vi.spyOn(AbortSignal, "timeout").mockReturnValueOnce(late.signal);
  const store = { load: async () => "r0", save: async () => undefined };
  const answers = vi.spyOn(globalThis, "fetch").mockImplementationOnce((_address, request) => {
    return new Promise((_resolve, reject) => {
      request?.signal?.addEventListener("abort", () => reject(request.signal?.reason));
    });
  });
  answers.mockResolvedValueOnce(Response.json({ access: "a1", refresh: "r1" }));
  const mine = new Account({ server: "https://adiuva.example", store });

  const waiting = Promise.all([mine.token("connect"), mine.token("refused")]);
  await vi.waitFor(() => expect(answers).toHaveBeenCalled());
  late.abort();

  await expect(waiting).rejects.toBeInstanceOf(ConnectionFailed);
  expect(await mine.token("connect")).toBe("a1");
});
