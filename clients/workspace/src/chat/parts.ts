/** An answer as it is shown: its parts in the order in which they arrived. Pure. */
import type { BlockType, ErrorInfo, FinishReason, HomeRequest, Mutation, TurnEvent } from "@adiuva/client";
import type { ChatMessage } from "@adiuva/client/database";
import type { Brief } from "../rpc/messages";
import type { Remembered } from "./remembered";

export type Part =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "block"; readonly blockType: BlockType; readonly data: Readonly<Record<string, unknown>> };

/** How an answer ended, as it is stored. `requestId` finds what was disclosed for it. */
export interface Outcome {
  readonly requestId: string;
  readonly finishReason: FinishReason;
  readonly mutations: readonly Mutation[];
  /** What the model was told of earlier conversations; undefined for nothing. */
  readonly remembered?: readonly Remembered[];
  readonly error?: Pick<ErrorInfo, "message" | "retryable">;
}

/** How the answer in `message` ended; undefined for a user's message and for a job's result. */
export function outcomeOf(message: ChatMessage): Outcome | undefined {
  return message.role === "user" ? undefined : (message.toolCalls as readonly Outcome[] | null)?.[0];
}

/** What a question may have besides its words. */
export type More = Pick<HomeRequest, "model" | "images">;

/** What is stored with a question until the server's first frame for it has come. */
export interface Unconfirmed {
  /** Whether it waits for a connection, or was sent over one that may be dead. */
  readonly waiting: boolean;
  readonly brief?: Brief;
  readonly more?: More;
}

/** Undefined for a question that the server has. */
export function unconfirmedOf(message: ChatMessage): Unconfirmed | undefined {
  return message.role === "user" ? (message.toolCalls as readonly Unconfirmed[] | null)?.[0] : undefined;
}

export function isWaiting(message: ChatMessage): boolean {
  return unconfirmedOf(message)?.waiting === true;
}

/** A picture that went along with a question. `id` names its copy in this browser, if there is one. */
export interface AskedPicture {
  readonly id: string;
  readonly name: string;
}

type Along = { readonly type?: unknown; readonly id?: unknown; readonly name?: unknown; readonly brief?: Brief };

/** What is stored with a question for as long as it can be asked again. */
export function alongWith({
  pictures,
  brief,
}: {
  pictures: readonly AskedPicture[];
  brief: Brief | undefined;
}): unknown[] {
  return [
    ...pictures.map(({ id, name }) => ({ type: "picture", id, name })),
    ...(brief === undefined ? [] : [{ type: "brief", brief }]),
  ];
}

/** The pictures that went along with a user's message. */
export function picturesOf(message: ChatMessage): AskedPicture[] {
  return along(message)
    .filter(({ type }) => type === "picture")
    .map(({ id, name }) => ({ id: String(id ?? ""), name: String(name ?? "") }));
}

/** The brief that a user's message asks for; undefined for an ordinary question. */
export function briefOf(message: ChatMessage): Brief | undefined {
  return along(message).find(({ type }) => type === "brief")?.brief;
}

function along({ role, toolResults }: ChatMessage): Along[] {
  return role === "user" ? ((toolResults ?? []) as Along[]) : [];
}

export interface Status {
  readonly state: "thinking" | "calling_tool" | "waiting_approval" | "queued";
  readonly label?: string;
}

/** An answer in progress. `count` is the number of its events so far. */
export interface Live {
  readonly requestId: string;
  readonly sessionId: string;
  readonly parts: readonly Part[];
  readonly remembered?: readonly Remembered[];
  readonly status: Status | null;
  readonly count: number;
}

export function begun(requestId: string, sessionId: string): Live {
  return { requestId, sessionId, parts: [], status: { state: "thinking" }, count: 0 };
}

/** `live` with one more event. */
export function grown(live: Live, event: TurnEvent): Live {
  const count = live.count + 1;
  switch (event.type) {
    case "text":
      return { ...live, count, status: null, parts: withText(live.parts, event.text) };
    case "block":
      return {
        ...live,
        count,
        status: null,
        parts: [...live.parts, { type: "block", blockType: event.blockType, data: event.data }],
      };
    case "remembered":
      return { ...live, count, remembered: event.items };
    case "status": {
      const label = event.label === undefined ? {} : { label: event.label };
      return { ...live, count, status: { state: event.state, ...label } };
    }
    default:
      return { ...live, count };
  }
}

export function textOf(parts: readonly Part[]): string {
  return parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}

function withText(parts: readonly Part[], text: string): readonly Part[] {
  const last = parts.at(-1);
  return last?.type === "text"
    ? [...parts.slice(0, -1), { type: "text", text: last.text + text }]
    : [...parts, { type: "text", text }];
}
