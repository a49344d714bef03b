/** The messages between pages and the store, which one tab's worker runs for all. */
import type {
  ApprovalRequest,
  Confirmation,
  JobUpdate,
  MemoryName,
  ModelInfo,
  Scope,
  TurnEvent,
  Undone,
  UndoWhat,
  Verdict,
} from "@adiuva/client";
import type {
  Change,
  Changes,
  ChatChannel,
  ChatMessage,
  ChatSession,
  CopySummary,
  Entry,
  RowOf,
} from "@adiuva/client/database";
import type { Live } from "../chat/parts";
import type { Forgettable } from "../chat/remembered";
import type { Form } from "../moving/export";
import type { Remark, Skipped, Source, Words } from "../moving/plan";
import type { PathFile } from "../moving/zip";
import type { SentError } from "./errors";

export type TableName = keyof RowOf;

/** The server's address for what is never shared. Pages change it, and the store reads it before it makes vectors. */
export const SHARING = "/api/v1/sharing";
/** The server's address for all that is remembered. When it is deleted, no answer may show what was remembered for it. */
export const MEMORY = "/api/v1/memory";
export type Filters = Readonly<Record<string, unknown>>;

export type AccountState =
  | { readonly at: "starting" }
  | { readonly at: "signed-out" }
  | { readonly at: "signed-in"; readonly email: string }
  /** Nothing can be shown: another program has locked the data, or this browser cannot store any. */
  | { readonly at: "failed"; readonly why: string };

export type ConnectionState =
  | { readonly at: "idle" | "online" }
  /** `isFirst`: the store has had no connection yet. */
  | { readonly at: "connecting"; readonly isFirst: boolean }
  | { readonly at: "waiting"; readonly until: number; readonly isFirst: boolean }
  | { readonly at: "ended"; readonly why: string };

/** State that every page shows parts of. */
export interface Snapshot {
  readonly account: AccountState;
  readonly connection: ConnectionState;
  readonly questions: readonly ApprovalRequest[];
  readonly jobs: readonly JobUpdate[];
  /** The server's latest message that belongs to no answer; shown for some seconds. */
  readonly notice: string | null;
  /** The models that a question may choose; empty without a connection. */
  readonly models: readonly ModelInfo[];
}

export const NOTHING: Snapshot = {
  account: { at: "starting" },
  connection: { at: "idle" },
  questions: [],
  jobs: [],
  notice: null,
  models: [],
};

/** A conversation as a page opens it: the latest messages, and the answers in progress. */
export interface OpenChat {
  readonly session: ChatSession;
  readonly messages: readonly ChatMessage[];
  /** The number of all messages. */
  readonly total: number;
  readonly live: readonly Live[];
}

/** A brief instead of an answer: of the day, or of one task. */
export type Brief = { readonly of: "day" } | { readonly of: "task"; readonly taskId: string };

export interface Asked {
  readonly channel: ChatChannel;
  /** Null for a new conversation. */
  readonly sessionId: string | null;
  /** What the conversation shows as the user's message, also for a brief. */
  readonly message: string;
  /** Null on Home. */
  readonly scope: Scope | null;
  readonly brief?: Brief;
  /** The name of one of the snapshot's models; the server's default without it. */
  readonly model?: string;
  readonly pictures?: readonly Picture[];
  /** The id of an earlier message of the user that this one replaces, with all that followed. */
  readonly again?: string;
}

/** A picture that the server has. */
export interface Picture {
  readonly id: string;
  readonly name: string;
}

/** A conversation in the list of all. */
export interface ListedChat extends ChatSession {
  readonly isPinned: boolean;
  /** Whether it waits for the user's yes or no. */
  readonly isAsking: boolean;
  /** Words around what was sought; without a search, or if only the title has it, empty. */
  readonly excerpt: string;
}

/** A note's text after saving. In a conflict it has both versions of what was changed twice. */
export interface SavedNote {
  readonly content: string;
  readonly isConflict: boolean;
}

/** Something that a search found. `place` says where it opens: a comment at its task, the rest at itself. */
export interface Hit {
  readonly table: TableName | "chats";
  readonly id: string;
  readonly title: string;
  /** A few words around the first match, if that is not in the title. */
  readonly excerpt: string;
  readonly place: string;
  readonly isDone: boolean;
}

/** What a copy has. */
export interface CopyContent extends CopySummary {
  /** How many pictures of notes and tasks. */
  readonly pictures: number;
}

/** What an import would do. */
export interface ImportPreview {
  /** Names it for `runImport`. */
  readonly id: string;
  readonly sources: readonly Source[];
  /** How many rows of each table are new, and how many are here already. */
  readonly counts: Readonly<Record<TableName, { readonly added: number; readonly known: number }>>;
  readonly pictures: number;
  /** The first of the new rows. */
  readonly samples: readonly ImportSample[];
  readonly skipped: readonly Skipped[];
  readonly remarks: readonly Remark[];
}

export interface ImportSample {
  readonly table: TableName;
  readonly title: string;
  /** The name of its project. */
  readonly project: string | null;
  readonly date: number | null;
}

export interface Imported {
  /** How many rows of each table were written. */
  readonly counts: Readonly<Record<TableName, number>>;
  /** The entry of the journal, to undo it. */
  readonly entry: string;
}

export interface AddedTask {
  readonly id: string;
  /** The entry of the journal, to undo it. */
  readonly entry: string;
}

export interface RestAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** The calls that a page can make. Every error is an `Error` whose message is a sentence for the user, in the page's language. */
export interface StoreApi {
  snapshot(): Promise<Snapshot>;
  signIn(email: string, password: string): Promise<void>;
  signUp(email: string, password: string): Promise<void>;
  passkeyOptions(): Promise<unknown>;
  signInByPasskey(credential: unknown): Promise<void>;
  /** Ends all other sessions. */
  changePassword(password: string, confirmation: Confirmation): Promise<void>;
  signOut(): Promise<void>;
  /** Connects at once instead of waiting. */
  wake(): Promise<void>;
  /** The language that was chosen for the pages; null if the browser decides. The server speaks it from now on. */
  speak(language: string | null): Promise<void>;
  /** The browser says that the network is gone. */
  networkLost(): Promise<void>;
  rest(method: string, path: string, body?: unknown): Promise<RestAnswer>;
  /** This browser's id among the user's devices. */
  deviceId(): Promise<string>;
  select<T extends TableName>(table: T, filters: Filters, limit: number): Promise<RowOf[T][]>;
  get<T extends TableName>(table: T, id: string): Promise<RowOf[T] | null>;
  insert<T extends TableName>(table: T, given: Changes<T>, id?: string): Promise<RowOf[T]>;
  /** Adds a task, and a project of the name `newProject` for it unless that is null. */
  addTask(given: Changes<"tasks">, newProject: string | null): Promise<AddedTask>;
  update<T extends TableName>(table: T, id: string, updates: Changes<T>): Promise<RowOf[T] | null>;
  /** Whether there was such a row. Rows that belong to it are deleted too. */
  remove(table: TableName, id: string): Promise<boolean>;
  /** Undoes changes in this browser. If a row was changed since, nothing is undone, unless `isPartial`. */
  undo(what: UndoWhat, isPartial?: boolean): Promise<Undone>;
  /** Undoes the latest change that is neither undone nor an undo; null if there is none. */
  undoLatest(): Promise<Undone | null>;
  /** What was changed on a day, such as 2026-11-24, or for a request, the latest first; without vectors. */
  history(of: { readonly day: string } | { readonly request: string }): Promise<Entry[]>;
  /** Marks a task as done, or gives it the status back that it had before. */
  tick(id: string, isDone: boolean): Promise<void>;
  /** Changes several rows, or deletes them if `updates` is null. Returns the entry of the journal, to undo it. */
  changeMany<T extends TableName>(table: T, ids: readonly string[], updates: Changes<T> | null): Promise<string>;
  /** Saves the text that was made of `base`. What was changed elsewhere since is merged; null if the note is gone. */
  saveNote(id: string, base: string, content: string): Promise<SavedNote | null>;
  /** Keeps a picture of a note in this browser, and returns its name. */
  savePicture(picture: Blob): Promise<string>;
  /** Null if there is none of this name. */
  picture(name: string): Promise<Blob | null>;
  /** The best rows and conversations in which all words of `text` occur. */
  search(text: string, limit: number): Promise<readonly Hit[]>;
  /** In `language`. False if they are there already. */
  loadExamples(language: string): Promise<boolean>;
  /** All data of this browser, as a file. */
  exportCopy(): Promise<Blob>;
  /** What `restoreCopy` would do. Checks the whole file. */
  checkCopy(file: Blob): Promise<CopyContent>;
  /** Writes all rows of the file or none. */
  restoreCopy(file: Blob): Promise<CopyContent>;
  /** Reads files of other programs, or of this one. Nothing is written. `words` are in the page's language. */
  readImport(files: readonly PathFile[], words: Words, language: "en" | "it"): Promise<ImportPreview>;
  /** Writes all rows of the latest preview or none; the event `progress` says how far it is. */
  runImport(id: string): Promise<Imported>;
  /** All rows as files for other programs. */
  exportFiles(form: Form): Promise<readonly PathFile[]>;
  /** Likewise, as one file: a zip file, if there are several. */
  exportFile(form: Form): Promise<Blob>;
  /** Deletes all rows and conversations. The user stays signed in. */
  deleteEverything(): Promise<void>;
  /** Corrects what is remembered, at the server and under the answers that were told of it. */
  correctMemory(item: MemoryName, text: string): Promise<void>;
  /** Likewise; resolves also if it is forgotten already. */
  forgetMemory(item: Forgettable): Promise<void>;
  openChat(sessionId: string, limit: number): Promise<OpenChat | null>;
  /** All conversations, or those with all of these words in any order; pinned ones first, then the latest. */
  listChats(words?: string): Promise<ListedChat[]>;
  renameChat(sessionId: string, title: string): Promise<void>;
  /** Pins a conversation or an answer, by its id. */
  pin(id: string, isPinned: boolean): Promise<void>;
  /** The latest first. */
  pinnedAnswers(): Promise<ChatMessage[]>;
  /** Gives a picture to the server, to be named in a question. */
  upload(picture: Blob): Promise<string>;
  deleteChat(sessionId: string): Promise<void>;
  /** Returns the conversation's id. The answer arrives as events. */
  ask(asked: Asked): Promise<string>;
  stop(requestId: string): Promise<void>;
  navigate(sessionId: string, scope: Scope): Promise<void>;
  answer(questionId: string, verdict: Verdict): Promise<void>;
}

export type Work = "importing" | "changing" | "deleting" | "undoing";

/** How many steps of long work are done. Its last event has all of them, but for an import. */
export interface Progress {
  readonly type: "progress";
  readonly work: Work;
  readonly done: number;
  readonly total: number;
}

/** The events that every page receives. */
export type StoreEvent =
  | { readonly type: "snapshot"; readonly snapshot: Snapshot }
  | { readonly type: "change"; readonly changes: readonly Change[] }
  /** Any row and any conversation may have changed: read everything again. */
  | { readonly type: "renewed" }
  | { readonly type: "message"; readonly message: ChatMessage }
  /** This message and all after it are gone: it was asked in other words. */
  | { readonly type: "cut"; readonly sessionId: string; readonly messageId: string }
  | Progress
  /** The list of conversations, or what is pinned, has changed. */
  | { readonly type: "chats" }
  | { readonly type: "begun"; readonly live: Live }
  /** `index` counts the events of a turn from 0. */
  | {
      readonly type: "turn";
      readonly sessionId: string;
      readonly requestId: string;
      readonly index: number;
      readonly event: TurnEvent;
    }
  /** The turn is over, and its answer has been stored as a message. */
  | { readonly type: "over"; readonly sessionId: string; readonly requestId: string };

export type Method = keyof StoreApi;

/** The calls that change nothing, so that they can be made twice. */
const READS: ReadonlySet<Method> = new Set<Method>([
  "snapshot",
  "deviceId",
  "select",
  "get",
  "history",
  "picture",
  "search",
  "exportCopy",
  "checkCopy",
  "exportFiles",
  "exportFile",
  "openChat",
  "listChats",
  "pinnedAnswers",
]);

export function isRead({ method, args }: Pick<CallMessage, "method" | "args">): boolean {
  return READS.has(method) || (method === "rest" && args[0] === "GET");
}

export interface CallMessage {
  readonly type: "call";
  readonly id: string;
  readonly from: string;
  readonly method: Method;
  readonly args: readonly unknown[];
}

/** On the channel of all pages. `keeper` is the id of a store; tabs with an older version know it by this name. */
export type PublicMessage =
  | CallMessage
  | { readonly type: "anyone" }
  | { readonly type: "here"; readonly keeper: string }
  | { readonly type: "event"; readonly event: StoreEvent };

/** On the channel of one page. */
export type PrivateMessage =
  | { readonly type: "accepted"; readonly id: string; readonly keeper: string }
  | { readonly type: "answer"; readonly id: string; readonly value: unknown }
  | ({ readonly type: "failed"; readonly id: string } & SentError);

export const SHARED_CHANNEL = "adiuva";
export const STORE_LOCK = "adiuva-keeper";

export function channelOf(page: string): string {
  return `adiuva-${page}`;
}
