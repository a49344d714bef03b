/** Keeps the data of whoever is signed in, and the one connection, for every page of this browser. */
import { Account, type Scope, Unauthorized, type Verdict } from "@adiuva/client";
import type { Changes, ChatChannel, ChatSession, Database, RowOf } from "@adiuva/client/database";
import {
  type AccountState,
  type Asked,
  type Filters,
  type KeeperApi,
  type KeeperEvent,
  NOTHING,
  type OpenChat,
  type RestAnswer,
  type Snapshot,
  type TableName,
} from "../line/messages";
import { Desk } from "./desk";
import type { Identity, IdentityStore } from "./identity";

export class Keeper implements KeeperApi {
  readonly #server: string;
  readonly #store: IdentityStore;
  readonly #openDatabase: (userId: string) => Promise<Database>;
  readonly #tell: (event: KeeperEvent) => void;
  readonly #account: Account;
  #state: AccountState = { at: "starting" };
  #desk: Desk | undefined;

  constructor(parts: {
    server: string;
    store: IdentityStore;
    openDatabase: (userId: string) => Promise<Database>;
    tell: (event: KeeperEvent) => void;
  }) {
    this.#server = parts.server;
    this.#store = parts.store;
    this.#openDatabase = parts.openDatabase;
    this.#tell = parts.tell;
    this.#account = new Account({ server: parts.server, store: parts.store });
  }

  async start(): Promise<void> {
    const identity = await this.#store.identity();
    if (identity !== null && (await this.#account.isSignedIn())) {
      await this.#open(identity);
    } else {
      this.#become({ at: "signed-out" });
    }
  }

  async snapshot(): Promise<Snapshot> {
    return this.#snapshot();
  }

  async signIn(email: string, password: string): Promise<void> {
    await spoken(() => this.#account.signIn(email, password));
    await this.#enter();
  }

  async signUp(email: string, password: string): Promise<void> {
    const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    const language = navigator.language.startsWith("it") ? "it" : "en";
    await spoken(() => this.#account.register(email, password, { timezone, language }));
    await this.#enter();
  }

  async signOut(): Promise<void> {
    await this.#leave();
    await this.#account.signOut();
    await this.#store.saveIdentity(null);
    this.#become({ at: "signed-out" });
  }

  async wake(): Promise<void> {
    this.#desk?.client.wake();
  }

  async rest(method: string, path: string, body?: unknown): Promise<RestAnswer> {
    const answer = await this.#request(method, path, body, await this.#account.token("connect"));
    return answer.status === 401
      ? await this.#request(method, path, body, await this.#account.token("refused"))
      : answer;
  }

  async select<T extends TableName>(table: T, filters: Filters, limit: number): Promise<RowOf[T][]> {
    return await this.#present().tables.select(table, filters, limit);
  }

  async get<T extends TableName>(table: T, id: string): Promise<RowOf[T] | null> {
    return await this.#present().tables.get(table, id);
  }

  async insert<T extends TableName>(table: T, given: Changes<T>): Promise<RowOf[T]> {
    return await this.#present().tables.insert(table, given);
  }

  async update<T extends TableName>(table: T, id: string, updates: Changes<T>): Promise<RowOf[T] | null> {
    return await this.#present().tables.update(table, id, updates);
  }

  async remove(table: TableName, id: string): Promise<boolean> {
    return await this.#present().remove(table, id);
  }

  async loadExamples(): Promise<void> {
    await this.#present().insertExamples();
  }

  async openChat(sessionId: string, limit: number): Promise<OpenChat | null> {
    return await this.#present().conversations.open(sessionId, limit);
  }

  async listChats(channel: ChatChannel): Promise<ChatSession[]> {
    return await this.#present().conversations.list(channel);
  }

  async deleteChat(sessionId: string): Promise<void> {
    await this.#present().conversations.delete(sessionId);
  }

  async ask(asked: Asked): Promise<string> {
    return await this.#present().conversations.ask(asked);
  }

  async stop(requestId: string): Promise<void> {
    this.#present().conversations.stop(requestId);
  }

  async navigate(sessionId: string, scope: Scope): Promise<void> {
    this.#present().navigate(sessionId, scope);
  }

  async answer(questionId: string, verdict: Verdict): Promise<void> {
    this.#present().questions.answer(questionId, verdict);
  }

  #present(): Desk {
    if (this.#desk === undefined) {
      throw new Error("Nobody is signed in.");
    }
    return this.#desk;
  }

  /** After signing in, again perhaps: the data may be open already. */
  async #enter(): Promise<void> {
    const { status, body } = await this.rest("GET", "/api/v1/auth/me");
    const identity = body as Identity;
    if (status !== 200) {
      throw new Error("The server did not say who you are. Try again.");
    }
    const before = await this.#store.identity();
    await this.#store.saveIdentity({ id: identity.id, email: identity.email });
    if (this.#desk !== undefined && before?.id === identity.id) {
      this.#desk.client.start();
    } else {
      await this.#leave();
      await this.#open(identity);
    }
  }

  async #open({ id, email }: Identity): Promise<void> {
    const database = await this.#openDatabase(id);
    this.#desk = new Desk({
      server: this.#server,
      account: this.#account,
      database,
      changed: () => this.#tell({ type: "snapshot", snapshot: this.#snapshot() }),
      tell: this.#tell,
    });
    this.#become({ at: "signed-in", email });
    await this.#desk.start();
  }

  async #leave(): Promise<void> {
    const desk = this.#desk;
    this.#desk = undefined;
    await desk?.close();
  }

  #become(state: AccountState): void {
    this.#state = state;
    this.#tell({ type: "snapshot", snapshot: this.#snapshot() });
  }

  #snapshot(): Snapshot {
    const desk = this.#desk;
    return desk === undefined
      ? { ...NOTHING, account: this.#state }
      : { account: this.#state, connection: desk.connection, questions: desk.questions.requests, jobs: desk.jobs };
  }

  async #request(method: string, path: string, body: unknown, token: string): Promise<RestAnswer> {
    const headers: Record<string, string> = { Authorization: `Bearer ${token}` };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    if (body !== undefined) {
      headers["Content-Type"] = "application/json";
    }
    const answer = await fetch(new URL(path, this.#server), { method, headers, ...sent });
    return { status: answer.status, body: await answer.json().catch(() => null) };
  }
}

/** What is wrong with each field says more than that something is. */
async function spoken(enter: () => Promise<void>): Promise<void> {
  try {
    await enter();
  } catch (error) {
    const details = error instanceof Unauthorized ? Object.values(error.details).flat().join(" ") : "";
    throw details === "" ? error : new Error(details);
  }
}
