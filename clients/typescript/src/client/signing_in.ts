/** An account at the server: signing in and out, and access tokens. */
import { type AdiuvaError, ConnectionFailed, Unauthorized } from "../errors.js";
import { addressOn, fetchThere } from "./addresses.js";
import type { TokenProvider } from "./client.js";
import { isOfServer } from "./refusals.js";

/** Where the refresh token is stored. It is as good as a password: use the platform's secure storage. */
export interface TokenStore {
  load(): Promise<string | null>;
  /** Null deletes it. */
  save(refresh: string | null): Promise<void>;
}

/** The part of `fetch` that is used here. */
export type Fetch<Body = string> = (
  address: string,
  request: { method: string; headers: Record<string, string>; body: Body },
) => Promise<{ ok: boolean; status: number; json(): Promise<unknown> }>;

interface RestError {
  readonly code: string;
  readonly message: string;
  readonly details: Record<string, string[]>;
}

/** What shows once more who the user is, before something that cannot be undone: see docs/accounts.md, Confirming. */
export interface Confirmation {
  readonly password?: string;
  readonly code?: string;
  /** A passkey's answer to `confirmationOptions`, as `toJSON()` returns it. */
  readonly passkey?: unknown;
}

interface Tokens {
  readonly access: string;
  readonly refresh: string;
}

export class Account {
  readonly #server: string;
  readonly #store: TokenStore;
  readonly #fetch: Fetch;
  #access: string | undefined;
  #renewing: Promise<string> | undefined;
  /** Counts sign-ins, sign-outs and new passwords: tokens that were asked for before one of them are not kept. */
  #session = 0;

  /** Throws `AddressRefused`. */
  constructor({
    server,
    store,
    fetch = fetchThere,
  }: {
    server: string;
    store: TokenStore;
    fetch?: Fetch;
  }) {
    addressOn(server, "/");
    this.#server = server;
    this.#store = store;
    this.#fetch = fetch;
  }

  /** Throws `Unauthorized` with a sentence for the user, and `ConnectionFailed`. */
  async signIn(email: string, password: string): Promise<void> {
    await this.#begin(await this.#post("token", { email, password }));
  }

  /** Makes an account and signs in. Throws as `signIn` does. */
  async register(email: string, password: string, more: { language?: string; timezone?: string } = {}): Promise<void> {
    await this.#begin(await this.#post("register", { email, password, ...more }));
  }

  /** Options for `navigator.credentials.get`, whose credential `signInByPasskey` takes. */
  async passkeyOptions(): Promise<unknown> {
    return await this.#post("passkeys/sign-in/options", {});
  }

  /** `credential` is what the credential's `toJSON()` returns. Throws as `signIn` does. */
  async signInByPasskey(credential: unknown): Promise<void> {
    await this.#begin(await this.#post("passkeys/sign-in", { credential }));
  }

  /** Ends all other sessions. Connect again afterwards. Throws as `signIn` does. */
  async changePassword(password: string, confirmation: Confirmation): Promise<void> {
    const access = await this.token("expiring");
    const session = this.#session;
    const said = await this.#post("password", { new_password: password, ...confirmation }, access);
    if (session === this.#session) {
      await this.#begin(said);
    } else {
      await this.#end(tokensIn(said).refresh);
    }
  }

  async signOut(): Promise<void> {
    this.#leave();
    const refresh = await this.#store.load();
    await this.#store.save(null);
    if (refresh !== null) {
      await this.#end(refresh);
    }
  }

  async isSignedIn(): Promise<boolean> {
    return (await this.#store.load()) !== null;
  }

  /** For `AdiuvaClient`, and for your own requests. */
  readonly token: TokenProvider = async (reason) => {
    if (reason === "connect" && this.#access !== undefined) {
      return this.#access;
    }
    // A refresh token works once: concurrent callers wait for the same request.
    return await (this.#renewing ?? this.#share(this.#renew(this.#session)));
  };

  /** Callers of `token` wait for this access token. */
  #share(access: Promise<string>): Promise<string> {
    const renewing = access.finally(() => {
      if (this.#renewing === renewing) {
        this.#renewing = undefined;
      }
    });
    this.#renewing = renewing;
    return renewing;
  }

  async #renew(session: number): Promise<string> {
    const refresh = await this.#store.load();
    if (refresh === null) {
      throw new Unauthorized("No one is signed in.");
    }
    const renewed = await this.#post("token/refresh", { refresh })
      .then(tokensIn)
      .catch((error: AdiuvaError) => error);
    if (session !== this.#session) {
      if (!(renewed instanceof Error)) {
        // Signing out had only the old token, which was spent by then.
        await this.#end(renewed.refresh);
      }
      return await this.token("connect");
    }
    if (!(renewed instanceof Error)) {
      return await this.#keep(renewed);
    }
    if (renewed instanceof Unauthorized) {
      this.#access = undefined;
      await this.#store.save(null);
    }
    throw renewed;
  }

  /** Someone signs in, or has a new password. */
  async #begin(said: unknown): Promise<void> {
    const tokens = tokensIn(said);
    this.#leave();
    await this.#share(this.#keep(tokens));
  }

  #leave(): void {
    this.#session += 1;
    this.#access = undefined;
    this.#renewing = undefined;
  }

  async #end(refresh: string): Promise<void> {
    await this.#post("logout", { refresh }).catch(() => undefined);
  }

  async #keep({ access, refresh }: Tokens): Promise<string> {
    // Stored before it is used: the old one no longer works.
    await this.#store.save(refresh);
    this.#access = access;
    return access;
  }

  async #post(what: string, body: Record<string, unknown>, access?: string): Promise<unknown> {
    const headers = {
      "Content-Type": "application/json",
      ...(access !== undefined && { Authorization: `Bearer ${access}` }),
    };
    const request = { method: "POST", headers, body: JSON.stringify(body) };
    const answer = await this.#fetch(addressOn(this.#server, `/api/v1/auth/${what}`).href, request).catch(() => {
      throw new ConnectionFailed();
    });
    const said: unknown = answer.status === 204 ? null : await answer.json().catch(() => null);
    if (answer.ok) {
      return said;
    }
    throw refusal(answer.status, said);
  }
}

/** The answer to `send` with a token, or with a fresh one if the server refuses the first. */
export async function authorized<Answer extends { readonly status: number }>(
  token: TokenProvider,
  send: (access: string) => Promise<Answer>,
): Promise<Answer> {
  const first = await send(await token("connect"));
  return first.status === 401 ? await send(await token("refused")) : first;
}

function refusal(status: number, said: unknown): AdiuvaError {
  const { message = `The server answers ${status}.`, code, details = {} } = (said ?? {}) as Partial<RestError>;
  // The user's mistake; anything else may work the next time, also a request that a proxy has passed on unencrypted.
  const isAnswer = isOfServer(said) && code !== "https_required";
  const isUsers = isAnswer && (status === 400 || status === 401 || status === 403);
  return isUsers ? new Unauthorized(message, { code, details }) : new ConnectionFailed(message, code);
}

/** The tokens in an answer. Throws `ConnectionFailed` for one of something else, such as a proxy's page. */
function tokensIn(said: unknown): Tokens {
  const { access, refresh } = (said ?? {}) as Partial<Tokens>;
  if (typeof access !== "string" || typeof refresh !== "string") {
    throw new ConnectionFailed("The server's answer cannot be read.");
  }
  return { access, refresh };
}
