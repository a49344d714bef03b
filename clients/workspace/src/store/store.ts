/** Holds the signed-in user's data and the one connection for every page of this browser. */

import {
  Account,
  authorized,
  type Confirmation,
  ConnectionFailed,
  type MemoryName,
  type Scope,
  Unauthorized,
  type Undone,
  type UndoWhat,
  type Verdict,
} from "@adiuva/client";
import type { Changes, ChatMessage, Database, Entry, RowOf } from "@adiuva/client/database";
import type { Forgettable } from "../chat/remembered";
import { msg } from "../i18n/msg";
import type { Form } from "../moving/export";
import type { Words } from "../moving/plan";
import type { PathFile } from "../moving/zip";
import { UserError } from "../rpc/errors";
import {
  type AccountState,
  type AddedTask,
  type Asked,
  type CopyContent,
  type Filters,
  type Hit,
  type Imported,
  type ImportPreview,
  type ListedChat,
  MEMORY,
  NOTHING,
  type OpenChat,
  type RestAnswer,
  type SavedNote,
  SHARING,
  type Snapshot,
  type StoreApi,
  type StoreEvent,
  type TableName,
} from "../rpc/messages";
import type { Identity, IdentityStore } from "./identity";
import { saveNote } from "./note_saving";
import { serverLanguage } from "./server_language";
import { Session } from "./session";
import { tick } from "./ticking";

/** How long an answer of the server may take; one with all that it stores of the user is long. */
const LONGEST_MS = 120_000;

export class Store implements StoreApi {
  readonly #server: string;
  readonly #identities: IdentityStore;
  readonly #openDatabase: (userId: string) => Promise<Database>;
  readonly #tell: (event: StoreEvent) => void;
  readonly #account: Account;
  #state: AccountState = { at: "starting" };
  #session: Session | undefined;
  /** Of what the server says. */
  #language = serverLanguage(null);

  constructor(parts: {
    server: string;
    identities: IdentityStore;
    openDatabase: (userId: string) => Promise<Database>;
    tell: (event: StoreEvent) => void;
  }) {
    this.#server = parts.server;
    this.#identities = parts.identities;
    this.#openDatabase = parts.openDatabase;
    this.#tell = parts.tell;
    this.#account = new Account({ server: parts.server, store: parts.identities });
  }

  async start(): Promise<void> {
    this.#language = serverLanguage(await this.#identities.language());
    const identity = await this.#identities.identity();
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
    await spoken(() => this.#account.register(email, password, { timezone, language: this.#language }));
    await this.#enter();
  }

  async passkeyOptions(): Promise<unknown> {
    return await this.#account.passkeyOptions();
  }

  async signInByPasskey(credential: unknown): Promise<void> {
    await spoken(() => this.#account.signInByPasskey(credential));
    await this.#enter();
  }

  async changePassword(password: string, confirmation: Confirmation): Promise<void> {
    await spoken(() => this.#account.changePassword(password, confirmation));
    this.#session?.reconnect();
  }

  async signOut(): Promise<void> {
    await this.#leave();
    await this.#account.signOut();
    await this.#identities.saveIdentity(null);
    this.#become({ at: "signed-out" });
  }

  async wake(): Promise<void> {
    this.#session?.client.wake();
  }

  async speak(language: string | null): Promise<void> {
    this.#language = serverLanguage(language);
    this.#session?.client.speak(this.#language);
    await this.#identities.saveLanguage(language);
  }

  /** What is asked from now on waits, instead of going into a connection that no longer leads anywhere. */
  async networkLost(): Promise<void> {
    this.#session?.client.networkLost();
  }

  async rest(method: string, path: string, body?: unknown): Promise<RestAnswer> {
    const answer = await authorized(this.#account.token, (access) => this.#request(method, path, body, access));
    if (method === "PUT" && path === SHARING && answer.status === 200) {
      this.#session?.sharingChanged();
    }
    if (method === "DELETE" && path === MEMORY && answer.status === 204) {
      await this.#session?.conversations.noteAllForgotten();
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

  async addTask(given: Changes<"tasks">, newProject: string | null): Promise<AddedTask> {
    return await this.#present().addTask(given, newProject);
  }

  async insert<T extends TableName>(table: T, given: Changes<T>, id?: string): Promise<RowOf[T]> {
    return await this.#present().tables.insert(table, given, id);
  }

  async update<T extends TableName>(table: T, id: string, updates: Changes<T>): Promise<RowOf[T] | null> {
    return await this.#present().tables.update(table, id, updates);
  }

  async remove(table: TableName, id: string): Promise<boolean> {
    return await this.#present().remove(table, id);
  }

  async undo(what: UndoWhat, isPartial = false): Promise<Undone> {
    return await this.#present().undo(what, isPartial);
  }

  async undoLatest(): Promise<Undone | null> {
    const session = this.#present();
    const latest = await session.tables.latestEntry();
    return latest === null ? null : await session.undo({ call: latest.id }, false);
  }

  async history(of: { readonly day: string } | { readonly request: string }): Promise<Entry[]> {
    const entries = await this.#present().tables.history(of);
    return entries.map((entry) => ({ ...entry, changes: entry.changes.map(({ vector, ...change }) => change) }));
  }

  async tick(id: string, isDone: boolean): Promise<void> {
    await tick(this.#present().tables, id, isDone);
  }

  async changeMany<T extends TableName>(table: T, ids: readonly string[], updates: Changes<T> | null): Promise<string> {
    return await this.#present().changeMany(table, ids, updates);
  }

  async saveNote(id: string, base: string, content: string): Promise<SavedNote | null> {
    return await saveNote(this.#present().tables, id, base, content);
  }

  async savePicture(picture: Blob): Promise<string> {
    return await this.#present().pictures.save(picture);
  }

  async picture(name: string): Promise<Blob | null> {
    return await this.#present().pictures.read(name);
  }

  async search(text: string, limit: number): Promise<readonly Hit[]> {
    return await this.#present().search.find(text, limit);
  }

  async loadExamples(language: string): Promise<boolean> {
    return await this.#present().insertExamples(language);
  }

  async exportCopy(): Promise<Blob> {
    return await (await this.#present().copies()).write();
  }

  async checkCopy(file: Blob): Promise<CopyContent> {
    return await (await this.#present().copies()).check(file);
  }

  async restoreCopy(file: Blob): Promise<CopyContent> {
    return await (await this.#present().copies()).restore(file);
  }

  async readImport(files: readonly PathFile[], words: Words, language: "en" | "it"): Promise<ImportPreview> {
    return await this.#present().transfers.read(files, { words, language });
  }

  async runImport(id: string): Promise<Imported> {
    return await this.#present().transfers.run(id);
  }

  async exportFiles(form: Form): Promise<readonly PathFile[]> {
    return await this.#present().transfers.files(form);
  }

  async exportFile(form: Form): Promise<Blob> {
    return await this.#present().transfers.file(form);
  }

  async deleteEverything(): Promise<void> {
    const session = this.#present();
    await (await session.copies()).deleteEverything();
    await session.pictures.deleteAll();
    await session.asked.deleteAll();
  }

  async correctMemory(item: MemoryName, text: string): Promise<void> {
    await this.#present().correctMemory(item, text);
  }

  async forgetMemory(item: Forgettable): Promise<void> {
    await this.#present().forgetMemory(item);
  }

  async openChat(sessionId: string, limit: number): Promise<OpenChat | null> {
    return await this.#present().conversations.open(sessionId, limit);
  }

  async listChats(words = ""): Promise<ListedChat[]> {
    const { chats, questions } = this.#present();
    const asking = questions.requests.map(({ request_id }) => request_id);
    return await chats.list(words, asking);
  }

  async renameChat(sessionId: string, title: string): Promise<void> {
    await this.#present().chats.rename(sessionId, title);
  }

  async pin(id: string, isPinned: boolean): Promise<void> {
    await this.#present().chats.pin(id, isPinned);
  }

  async pinnedAnswers(): Promise<ChatMessage[]> {
    return await this.#present().chats.pinnedAnswers();
  }

  async upload(picture: Blob): Promise<string> {
    return await this.#present().asked.give(picture);
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
    await this.#present().conversations.stop(requestId);
  }

  async navigate(sessionId: string, scope: Scope): Promise<void> {
    this.#present().navigate(sessionId, scope);
  }

  async answer(questionId: string, verdict: Verdict): Promise<void> {
    const { questions, notices } = this.#present();
    notices.clear();
    questions.answer(questionId, verdict);
  }

  #present(): Session {
    if (this.#session === undefined) {
      throw new UserError(msg("No one is signed in."));
    }
    return this.#session;
  }

  /** After signing in. If the user signs in again, the data may already be open. */
  async #enter(): Promise<void> {
    const { status, body } = await this.rest("GET", "/api/v1/auth/me");
    const identity = body as Identity;
    if (status !== 200) {
      throw new UserError(msg("The server did not return your account. Try again."));
    }
    const before = await this.#identities.identity();
    await this.#identities.saveIdentity({ id: identity.id, email: identity.email });
    const devices = await this.#devices();
    if (this.#session !== undefined && before?.id === identity.id && devices.has(this.#session.deviceId)) {
      this.#session.client.start();
    } else {
      await this.#leave();
      await this.#open(identity, devices);
    }
  }

  /** The ids of the devices that may connect. */
  async #devices(): Promise<ReadonlySet<string>> {
    const { status, body } = await this.rest("GET", "/api/v1/devices");
    if (status !== 200) {
      throw new UserError(msg("The server did not return your devices. Try again."));
    }
    return new Set((body as { results: { device_id: string }[] }).results.map(({ device_id }) => device_id));
  }

  /** `devices` is known after signing in: a browser that is not among them is new or was removed. */
  async #open({ id, email }: Identity, devices?: ReadonlySet<string>): Promise<void> {
    const database = await this.#openDatabase(id);
    if (devices?.has(database.deviceId) === false) {
      await database.renewDeviceId();
    }
    this.#session = new Session({
      server: this.#server,
      account: this.#account,
      language: this.#language,
      userId: id,
      database,
      changed: () => this.#tell({ type: "snapshot", snapshot: this.#snapshot() }),
      tell: this.#tell,
    });
    this.#become({ at: "signed-in", email });
    await this.#session.start();
  }

  async #leave(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    await session?.close();
  }

  #become(state: AccountState): void {
    this.#state = state;
    this.#tell({ type: "snapshot", snapshot: this.#snapshot() });
  }

  #snapshot(): Snapshot {
    const session = this.#session;
    return session === undefined
      ? { ...NOTHING, account: this.#state }
      : {
          account: this.#state,
          connection: session.connection,
          questions: session.questions.requests,
          jobs: session.jobs,
          notice: session.notices.latest,
          models: session.models,
        };
  }

  async #request(method: string, path: string, body: unknown, token: string): Promise<RestAnswer> {
    const headers: Record<string, string> = { Authorization: `Bearer ${token}` };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    if (body !== undefined) {
      headers["Content-Type"] = "application/json";
    }
    const signal = AbortSignal.timeout(LONGEST_MS);
    const answer = await fetch(new URL(path, this.#server), { method, headers, signal, ...sent }).catch(() => {
      throw new ConnectionFailed();
    });
    return { status: answer.status, body: await answer.json().catch(() => null) };
  }
}

/** Replaces a general error by the first of its details: a page knows single sentences in other languages. */
async function spoken(enter: () => Promise<void>): Promise<void> {
  try {
    await enter();
  } catch (error) {
    const [detail] = error instanceof Unauthorized ? Object.values(error.details).flat() : [];
    throw detail === undefined ? error : new Error(String(detail));
  }
}
