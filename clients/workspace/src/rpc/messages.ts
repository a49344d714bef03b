/** What pages and the keeper of the data say to each other. */
import type { ApprovalRequest, JobUpdate, Scope, TurnEvent, Verdict } from "@adiuva/client";
import type {
  Change,
  Changes,
  ChatChannel,
  ChatMessage,
  ChatSession,
  CopySummary,
  RowOf,
} from "@adiuva/client/database";
import type { Live } from "../chat/parts";

export type TableName = keyof RowOf;

/** Where the server keeps what is never shared: pages change it there, and the keeper makes vectors by it. */
export const SHARING = "/api/v1/sharing";
export type Filters = Readonly<Record<string, unknown>>;

export type AccountState =
  | { readonly at: "starting" }
  | { readonly at: "signed-out" }
  | { readonly at: "signed-in"; readonly email: string }
  /** Nothing can be shown: another program holds the data, or this browser cannot keep any. */
  | { readonly at: "failed"; readonly why: string };

export type ConnectionState =
  | { readonly at: "idle" | "connecting" | "online" }
  | { readonly at: "waiting"; readonly until: number }
  | { readonly at: "ended"; readonly why: string };

/** What every page shows a part of. */
export interface Snapshot {
  readonly account: AccountState;
  readonly connection: ConnectionState;
  readonly questions: readonly ApprovalRequest[];
  readonly jobs: readonly JobUpdate[];
  /** What the server said last that belongs to no answer, for a while. */
  readonly notice: string | null;
}

export const NOTHING: Snapshot = {
  account: { at: "starting" },
  connection: { at: "idle" },
  questions: [],
  jobs: [],
  notice: null,
};

/** A conversation as a page opens it: the latest messages, and what is being written. */
export interface OpenChat {
  readonly session: ChatSession;
  readonly messages: readonly ChatMessage[];
  /** How many messages there are in all. */
  readonly total: number;
  readonly live: readonly Live[];
}

/** What is wanted instead of an answer: what the day holds, or what to know before one begins a task. */
export type Brief = { readonly of: "day" } | { readonly of: "task"; readonly taskId: string };

export interface Asked {
  readonly channel: ChatChannel;
  /** Null: a new conversation. */
  readonly sessionId: string | null;
  /** What the conversation shows as said by the person, for a brief as well. */
  readonly message: string;
  /** Null on Home. */
  readonly scope: Scope | null;
  readonly brief?: Brief;
}

export interface RestAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** What a page can ask of the keeper. Every error is an `Error` whose message is a sentence for the user. */
export interface KeeperApi {
  snapshot(): Promise<Snapshot>;
  signIn(email: string, password: string): Promise<void>;
  signUp(email: string, password: string): Promise<void>;
  signOut(): Promise<void>;
  /** Connects at once instead of waiting. */
  wake(): Promise<void>;
  rest(method: string, path: string, body?: unknown): Promise<RestAnswer>;
  /** How the server names this browser among the user's devices. */
  deviceId(): Promise<string>;
  select<T extends TableName>(table: T, filters: Filters, limit: number): Promise<RowOf[T][]>;
  get<T extends TableName>(table: T, id: string): Promise<RowOf[T] | null>;
  insert<T extends TableName>(table: T, given: Changes<T>): Promise<RowOf[T]>;
  update<T extends TableName>(table: T, id: string, updates: Changes<T>): Promise<RowOf[T] | null>;
  /** Whether there was such a row. What belongs to it goes with it. */
  remove(table: TableName, id: string): Promise<boolean>;
  loadExamples(): Promise<void>;
  /** All that lies here, as a file. */
  exportCopy(): Promise<Blob>;
  /** What `restoreCopy` would do. The file is checked as a whole. */
  checkCopy(file: Blob): Promise<CopySummary>;
  /** Writes all rows of the file or none. */
  restoreCopy(file: Blob): Promise<CopySummary>;
  /** All rows and conversations. Whoever is signed in stays so. */
  deleteEverything(): Promise<void>;
  openChat(sessionId: string, limit: number): Promise<OpenChat | null>;
  listChats(channel: ChatChannel): Promise<ChatSession[]>;
  deleteChat(sessionId: string): Promise<void>;
  /** The conversation's id. What comes of it is told by events. */
  ask(asked: Asked): Promise<string>;
  stop(requestId: string): Promise<void>;
  navigate(sessionId: string, scope: Scope): Promise<void>;
  answer(questionId: string, verdict: Verdict): Promise<void>;
}

/** What every page is told. */
export type KeeperEvent =
  | { readonly type: "snapshot"; readonly snapshot: Snapshot }
  | { readonly type: "change"; readonly changes: readonly Change[] }
  /** Any row and any conversation may be another one, or gone. */
  | { readonly type: "renewed" }
  | { readonly type: "message"; readonly message: ChatMessage }
  | { readonly type: "begun"; readonly live: Live }
  /** `index` counts the events of a turn from 0. */
  | {
      readonly type: "turn";
      readonly sessionId: string;
      readonly requestId: string;
      readonly index: number;
      readonly event: TurnEvent;
    }
  /** It is over; what came of it is a message by now. */
  | { readonly type: "over"; readonly sessionId: string; readonly requestId: string };

export type Method = keyof KeeperApi;

export interface CallMessage {
  readonly type: "call";
  readonly id: string;
  readonly from: string;
  readonly method: Method;
  readonly args: readonly unknown[];
}

/** On the channel of everybody. */
export type PublicMessage =
  | CallMessage
  | { readonly type: "anyone" }
  | { readonly type: "here"; readonly keeper: string }
  | { readonly type: "event"; readonly event: KeeperEvent };

/** On the channel of one page. */
export type PrivateMessage =
  | { readonly type: "accepted"; readonly id: string; readonly keeper: string }
  | { readonly type: "answer"; readonly id: string; readonly value: unknown }
  | { readonly type: "failed"; readonly id: string; readonly message: string };

export const EVERYBODY = "adiuva";
export const KEEPER_LOCK = "adiuva-keeper";

export function channelOf(page: string): string {
  return `adiuva-${page}`;
}
