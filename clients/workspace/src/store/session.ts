/** A signed-in user's data and connection. */
import {
  type Account,
  AdiuvaClient,
  browserSockets,
  type ClientState,
  imageUploader,
  type JobUpdate,
  type MemoryEditor,
  type MemoryName,
  type ModelInfo,
  memoryEditor,
  noteEmbedder,
  type Scope,
  type Undone,
  type UndoWhat,
} from "@adiuva/client";
import {
  type Change,
  type Changes,
  type Database,
  DrizzleExecutor,
  NoteVectors,
  Tables,
} from "@adiuva/client/database";
import type { Forgettable } from "../chat/remembered";
import { readInWorker } from "../moving/reading";
import type { AddedTask, ConnectionState, StoreEvent, TableName } from "../rpc/messages";
import { AskedPictures } from "./asked_pictures";
import { Chats } from "./chats";
import { Conversations } from "./conversations";
import type { Copies } from "./copies";
import { deviceName } from "./device_name";
import { Notices } from "./notices";
import { Pictures } from "./pictures";
import { Questions } from "./questions";
import { remove } from "./removing";
import { reported } from "./reporting";
import { SearchIndex } from "./search";
import { Transfers } from "./transfers";

/** How long changes are collected before they are reported together. */
const TOGETHER_MS = 10;
/** If more changes are collected, pages read everything again. */
const MANY = 200;
const LASTING_MS = 10_000;
/** How long the server may take to close the connections of ended tokens. */
const CLOSING_MS = 30_000;

export class Session {
  readonly tables: Tables;
  readonly conversations: Conversations;
  readonly chats: Chats;
  readonly transfers: Transfers;
  readonly asked: AskedPictures;
  readonly questions: Questions;
  readonly notices: Notices;
  readonly search: SearchIndex;
  readonly pictures: Pictures;
  readonly client: AdiuvaClient;
  readonly #memory: MemoryEditor;
  readonly #vectors: NoteVectors;
  readonly #database: Database;
  readonly #jobs = new Map<string, JobUpdate>();
  readonly #changed: () => void;
  readonly #tell: (event: StoreEvent) => void;
  #changes: Change[] = [];
  #wasOnline = false;

  constructor(parts: {
    server: string;
    account: Account;
    /** Of what the server says. */
    language: string;
    userId: string;
    database: Database;
    /** Called when the snapshot changes. */
    changed: () => void;
    tell: (event: StoreEvent) => void;
  }) {
    this.#database = parts.database;
    this.#changed = parts.changed;
    this.#tell = parts.tell;
    this.tables = new Tables(parts.database);
    this.tables.onChange((change) => this.#note(change));
    this.pictures = new Pictures(parts.userId);
    this.search = new SearchIndex(this.tables);
    this.questions = new Questions(parts.changed);
    this.notices = new Notices(parts.changed);
    this.client = new AdiuvaClient({
      server: parts.server,
      sockets: browserSockets(),
      token: parts.account.token,
      device: {
        id: parts.database.deviceId,
        platform: deviceName(),
        timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        language: parts.language,
      },
      executor: new DrizzleExecutor(this.tables),
      approve: this.questions.ask,
      onProblem: this.notices.note,
      jobs: {
        note: (update) => this.#noteJob(update),
        deliver: async (update) => await this.conversations.deliver(update),
      },
      remembered: true,
    });
    this.client.onState((state) => {
      this.#wasOnline ||= state.at === "online";
      parts.changed();
      if (state.at === "online") {
        void this.conversations.sendWaiting();
      }
    });
    this.#memory = memoryEditor({ server: parts.server, token: parts.account.token });
    this.#vectors = new NoteVectors(this.tables, {
      embed: noteEmbedder({
        server: parts.server,
        token: parts.account.token,
        deviceId: parts.database.deviceId,
      }),
    });
    this.asked = new AskedPictures(
      new Pictures(parts.userId, "adiuva-asked-pictures"),
      imageUploader({ server: parts.server, token: parts.account.token }),
    );
    this.conversations = new Conversations({
      database: parts.database,
      pictures: this.asked,
      client: () => this.client,
      isOnline: () => this.client.state.at === "online",
      tell: parts.tell,
    });
    this.chats = new Chats(parts.database, parts.tell);
    this.transfers = new Transfers({
      tables: this.tables,
      pictures: this.pictures,
      readPlan: readInWorker,
      tell: parts.tell,
    });
  }

  /** This browser's id among the user's devices. */
  get deviceId(): string {
    return this.#database.deviceId;
  }

  get connection(): ConnectionState {
    return shownState(this.client.state, !this.#wasOnline);
  }

  /** The models that the server offers; empty without a connection. */
  get models(): readonly ModelInfo[] {
    const { state } = this.client;
    return (state.at === "online" && state.welcome.models) || [];
  }

  get jobs(): JobUpdate[] {
    return [...this.#jobs.values()];
  }

  async start(): Promise<void> {
    this.#vectors.follow(this.client);
    await this.conversations.recover();
    this.client.start();
    await this.conversations.resume(Date.now());
  }

  /** After a new password: the server closes the old token's connection, within seconds. */
  reconnect(): void {
    if (this.client.state.at === "ended") {
      this.client.start();
      return;
    }
    const stop = this.client.onState(({ at }) => {
      if (at === "ended") {
        stop();
        this.client.start();
      }
    });
    setTimeout(stop, CLOSING_MS);
  }

  async close(): Promise<void> {
    this.notices.clear();
    this.#vectors.close();
    this.client.close();
    await this.#database.close();
  }

  /** What the user shares has changed. */
  sharingChanged(): void {
    this.#vectors.reconsider();
  }

  async correctMemory(item: MemoryName, text: string): Promise<void> {
    await this.#memory.correct(item, text);
    await this.conversations.noteCorrected(item, text);
  }

  async forgetMemory(item: Forgettable): Promise<void> {
    await this.#memory.forget(item);
    await this.conversations.noteForgotten(item);
  }

  /** Fetched when it is needed: the first page is faster without it. */
  async copies(): Promise<Copies> {
    const { Copies } = await import("./copies");
    const { tables, pictures, conversations } = this;
    return new Copies({ tables, pictures, conversations, tell: this.#tell });
  }

  navigate(sessionId: string, scope: Scope): void {
    this.client.navigate(sessionId, scope);
  }

  /** In `language`. False if they are there already. */
  async insertExamples(language: string): Promise<boolean> {
    const { insertExamples } = await import("./examples");
    return await insertExamples(this.tables, language);
  }

  /** A task, in a new project if one is named, as one entry of the journal. */
  async addTask(given: Changes<"tasks">, newProject: string | null): Promise<AddedTask> {
    return await this.tables.together(async (rows, entry) => {
      const project =
        newProject === null ? {} : { projectId: (await rows.insert("projects", { name: newProject })).id };
      const { id } = await rows.insert("tasks", { ...given, ...project });
      return { id: String(id), entry };
    });
  }

  /** As one entry of the journal, whose id is returned. Rows that are gone are left out; null deletes. */
  async changeMany<T extends TableName>(table: T, ids: readonly string[], updates: Changes<T> | null): Promise<string> {
    return await reported(this.#tell, updates === null ? "deleting" : "changing", (report) =>
      this.tables.together(async (rows, entry) => {
        for (const [index, id] of ids.entries()) {
          report(index, ids.length);
          await (updates === null ? remove(rows, table, id) : rows.update(table, id, { ...updates }));
        }
        return entry;
      }),
    );
  }

  /** Whether there was such a row. Rows that depend on it are deleted too, as are a project's tasks and notes; undone, all come back. */
  async remove(table: TableName, id: string): Promise<boolean> {
    return await reported(this.#tell, "deleting", (report) =>
      this.tables.together((rows) => remove(rows, table, id, report)),
    );
  }

  /** If a row was changed since, nothing is undone, unless `isPartial`. */
  async undo(what: UndoWhat, isPartial: boolean): Promise<Undone> {
    return await reported(this.#tell, "undoing", (onProgress) => this.tables.undo(what, { isPartial, onProgress }));
  }

  #note(change: Change): void {
    this.#changes.push(change);
    if (this.#changes.length === 1) {
      setTimeout(() => {
        const changes = this.#changes;
        this.#changes = [];
        if (changes.length > MANY) {
          this.search.clear();
        }
        this.#tell(changes.length > MANY ? { type: "renewed" } : { type: "change", changes });
      }, TOGETHER_MS);
    }
  }

  #noteJob(update: JobUpdate): void {
    this.#jobs.set(update.job_id, update);
    this.#changed();
    if (isOver(update)) {
      setTimeout(() => {
        if (this.#jobs.get(update.job_id) === update) {
          this.#jobs.delete(update.job_id);
          this.#changed();
        }
      }, LASTING_MS);
    }
  }
}

function isOver({ state }: JobUpdate): boolean {
  return state === "done" || state === "failed" || state === "cancelled" || state === "delivered";
}

function shownState(state: ClientState, isFirst: boolean): ConnectionState {
  switch (state.at) {
    case "connecting":
      return { at: "connecting", isFirst };
    case "waiting":
      return { at: "waiting", until: state.until, isFirst };
    case "ended":
      return { at: "ended", why: state.why.message };
    default:
      return { at: state.at };
  }
}
