/** Keeps the data of whoever is signed in, and the one connection, for every page of this browser. */
import { Account, authorized, ConnectionFailed, type Scope, Unauthorized, type Verdict } from "@adiuva/client";
import type { Changes, ChatChannel, ChatSession, CopySummary, Database, RowOf } from "@adiuva/client/database";
import {
  type AccountState,
  type Asked,
  type Filters,
  type KeeperApi,
  type KeeperEvent,
  NOTHING,
  type OpenChat,
  type RestAnswer,
  SHARING,
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
    const answer = await authorized(this.#account.token, (access) => this.#request(method, path, body, access));
    if (method === "PUT" && path === SHARING && answer.status === 200) {
      this.#desk?.sharingChanged();
    }
    return answer;
  }

  async deviceId(): Promise<string> {
    return this.#present().deviceId;
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

  async exportCopy(): Promise<Blob> {
    return await this.#present().copies.write();
  }

  async checkCopy(file: Blob): Promise<CopySummary> {
    return await this.#present().copies.check(file);
  }

  async restoreCopy(file: Blob): Promise<CopySummary> {
    return await this.#present().copies.restore(file);
  }

  async deleteEverything(): Promise<void> {
    await this.#present().copies.deleteEverything();
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
    const { conversations, notices } = this.#present();
    notices.clear();
    return await conversations.ask(asked);
  }

  async stop(requestId: string): Promise<void> {
    this.#present().conversations.stop(requestId);
  }

  async navigate(sessionId: string, scope: Scope): Promise<void> {
    this.#present().navigate(sessionId, scope);
  }

  async answer(questionId: string, verdict: Verdict): Promise<void> {
    const { questions, notices } = this.#present();
    notices.clear();
    questions.answer(questionId, verdict);
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
    const devices = await this.#devices();
    if (this.#desk !== undefined && before?.id === identity.id && devices.has(this.#desk.deviceId)) {
      this.#desk.client.start();
    } else {
      await this.#leave();
      await this.#open(identity, devices);
    }
  }

  /** The ids of the devices that may connect, or may do so again. */
  async #devices(): Promise<ReadonlySet<string>> {
    const { status, body } = await this.rest("GET", "/api/v1/devices");
    if (status !== 200) {
      throw new Error("The server did not say which devices you have. Try again.");
    }
    return new Set((body as { device_id: string }[]).map(({ device_id }) => device_id));
  }

  /** Whoever has just signed in knows `devices`: a browser that is none of them is new, or was removed. */
  async #open({ id, email }: Identity, devices?: ReadonlySet<string>): Promise<void> {
    const database = await this.#openDatabase(id);
    if (devices?.has(database.deviceId) === false) {
      await database.renewDeviceId();
    }
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
      : {
          account: this.#state,
          connection: desk.connection,
          questions: desk.questions.requests,
          jobs: desk.jobs,
          notice: desk.notices.latest,
        };
  }

  async #request(method: string, path: string, body: unknown, token: string): Promise<RestAnswer> {
    const headers: Record<string, string> = { Authorization: `Bearer ${token}` };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    if (body !== undefined) {
      headers["Content-Type"] = "application/json";
    }
    const answer = await fetch(new URL(path, this.#server), { method, headers, ...sent }).catch(() => {
      throw new ConnectionFailed();
    });
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
