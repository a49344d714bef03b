/** One answer, across any number of connections. */
import { AnswerLost, RequestRejected } from "../errors.js";
import type {
  BlockType,
  ClientFrame,
  Domain,
  ErrorFrame,
  ErrorInfo,
  FinishReason,
  Mutation,
  RememberedItem,
  ServerFrame,
  TokenUsage,
  TurnKind,
  TurnState,
} from "../protocol/frames.js";

/** The events of a turn, in order; `end` is the last. */
export type TurnEvent =
  | { type: "start"; kind: TurnKind; sessionId?: string }
  | { type: "domain"; domain: Domain }
  | { type: "remembered"; items: readonly RememberedItem[] }
  | { type: "text"; text: string }
  | { type: "block"; blockType: BlockType; data: Readonly<Record<string, unknown>> }
  | { type: "status"; state: TurnState; tool?: string; label?: string }
  | TurnEnd;

export interface TurnEnd {
  type: "end";
  finishReason: FinishReason;
  /** What it changed in the user's tables. */
  mutations: readonly Mutation[];
  usage?: TokenUsage;
  /** The model that has answered in place of the chosen one, which was away. */
  model?: string;
  error?: ErrorInfo;
}

/** Every iteration begins with the first event and waits for further ones. */
export interface Turn extends AsyncIterable<TurnEvent> {
  readonly requestId: string;
  /** The text so far. */
  readonly text: string;
  /** The number of the last frame that arrived: `resume` continues from there after a restart of the program. */
  readonly lastSeq: number;
  /** Whether it has ended or failed. */
  readonly isOver: boolean;
  /** Asks the server to cancel it, now or on the next connection; it then ends as cancelled. */
  cancel(): void;
  /**
   * Its end. Rejects, as iterating does, with `RequestRejected` if the server does not begin it, `AnswerLost` if
   * it no longer has it, `ConnectionFailed` if the connection is not restored, and `ConnectionEnded` if it is closed
   * for good.
   */
  done(): Promise<TurnEnd>;
}

export type TurnFrame = Extract<ServerFrame, { seq: number }>;

/** A request with an id of our own. */
export type TurnRequest = Extract<ClientFrame, { request_id?: string | null }> | { type: "resume" };

type Send = (frame: ClientFrame) => boolean;

const LOST: ReadonlySet<string> = new Set(["unknown_request", "turn_lost"]);

export class RunningTurn implements Turn {
  readonly requestId: string;
  readonly #request: TurnRequest;
  readonly #send: Send;
  readonly #events: TurnEvent[] = [];
  readonly #waiting = new Set<() => void>();
  #text = "";
  #error: Error | undefined;
  #end: TurnEnd | undefined;
  #lastSeq: number;
  #wasSent = false;
  #hasBegun: boolean;
  #isCancelled = false;
  /** The number after which a missing frame was requested again. */
  #askedAgain: number | undefined;
  /** Since when the server has put off what was asked of this answer. */
  #putOffSince: number | undefined;

  /** `after` is the last frame that the caller already has of an earlier turn. */
  constructor(requestId: string, request: TurnRequest, send: Send, after = -1) {
    this.requestId = requestId;
    this.#request = request;
    this.#send = send;
    this.#lastSeq = after;
    this.#hasBegun = request.type === "resume";
  }

  get text(): string {
    return this.#text;
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  get isOver(): boolean {
    return this.#end !== undefined || this.#error !== undefined;
  }

  async done(): Promise<TurnEnd> {
    while (this.#end === undefined) {
      if (this.#error !== undefined) {
        throw this.#error;
      }
      await this.#news();
    }
    return this.#end;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<TurnEvent, void, void> {
    for (let next = 0; ; next += 1) {
      while (next >= this.#events.length) {
        if (this.#error !== undefined) {
          throw this.#error;
        }
        await this.#news();
      }
      const event = this.#events[next] as TurnEvent;
      yield event;
      if (event.type === "end") {
        return;
      }
    }
  }

  cancel(): void {
    if (this.isOver || this.#isCancelled) {
      return;
    }
    this.#isCancelled = true;
    if (this.#wasSent || this.#request.type === "resume") {
      this.#send({ type: "cancel_request", request_id: this.requestId });
    } else {
      this.#stopUnasked();
    }
  }

  /** A connection is open: send the request or resume it. */
  connected(): void {
    if (this.isOver) {
      return;
    }
    if (this.#hasBegun || this.#isCancelled) {
      if (this.#isCancelled) {
        this.#send({ type: "cancel_request", request_id: this.requestId });
      }
      this.#resume();
    } else {
      // The request may never have arrived. If it did, the server knows its id and does not begin it twice.
      this.#wasSent = this.#send({ ...(this.#request as ClientFrame), request_id: this.requestId } as ClientFrame);
    }
  }

  /** A call of this turn shows, as a frame does, that the server has begun it. */
  called(): void {
    this.#hasBegun = true;
  }

  take(frame: TurnFrame): void {
    if (this.isOver || frame.seq <= this.#lastSeq) {
      return;
    }
    this.#hasBegun = true;
    if (frame.seq > this.#lastSeq + 1) {
      this.#askAgain();
      return;
    }
    this.#lastSeq = frame.seq;
    this.#putOffSince = undefined;
    this.#add(eventOf(frame));
  }

  /**
   * Whether `frame` only puts off the resuming or cancelling of an answer that has begun: it still runs, or is kept.
   *
   * No more if the server has done so for `patienceMs` without any frame of the answer.
   */
  isPutOff(frame: ErrorFrame, now: number, patienceMs: number): boolean {
    if (!this.#hasBegun || !frame.retryable || LOST.has(frame.code)) {
      return false;
    }
    this.#putOffSince ??= now;
    return now - this.#putOffSince < patienceMs;
  }

  reject(frame: ErrorFrame): void {
    if (this.isOver) {
      return;
    }
    const isLost = LOST.has(frame.code);
    if (isLost && this.#isCancelled) {
      this.#stopUnasked();
    } else if (isLost && this.#hasBegun) {
      this.fail(new AnswerLost());
    } else {
      this.fail(new RequestRejected(frame.message, frame.code, frame.retryable));
    }
  }

  fail(error: Error): void {
    if (!this.isOver) {
      this.#error = error;
      this.#tell();
    }
  }

  #resume(): void {
    this.#wasSent = this.#send({ type: "resume_request", request_id: this.requestId, after_seq: this.#lastSeq });
  }

  /** Frames come without gaps; if one is missing all the same, later ones wait for it. */
  #askAgain(): void {
    if (this.#askedAgain !== this.#lastSeq) {
      this.#askedAgain = this.#lastSeq;
      this.#resume();
    }
  }

  /** Cancelled before the server knew the request. */
  #stopUnasked(): void {
    this.#add({ type: "end", finishReason: "cancelled", mutations: [] });
  }

  #add(event: TurnEvent): void {
    this.#events.push(event);
    if (event.type === "text") {
      this.#text += event.text;
    } else if (event.type === "end") {
      this.#end = event;
    }
    this.#tell();
  }

  #news(): Promise<void> {
    return new Promise((resolve) => this.#waiting.add(resolve));
  }

  #tell(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) {
      wake();
    }
  }
}

function eventOf(frame: TurnFrame): TurnEvent {
  switch (frame.type) {
    case "stream_start":
      return { type: "start", kind: frame.kind, ...given("sessionId", frame.session_id) };
    case "popup_domain":
      return { type: "domain", domain: frame.domain };
    case "remembered":
      return { type: "remembered", items: frame.items };
    case "stream_text":
      return { type: "text", text: frame.chunk };
    case "stream_block":
      return { type: "block", blockType: frame.block_type, data: frame.data };
    case "stream_status":
      return { type: "status", state: frame.state, ...given("tool", frame.tool), ...given("label", frame.label) };
    case "stream_end":
      return {
        type: "end",
        finishReason: frame.finish_reason,
        mutations: frame.mutations,
        ...given("usage", frame.usage),
        ...given("model", frame.model),
        ...given("error", frame.error),
      };
  }
}

/** The field, unless it is absent. */
function given<Name extends string, Value>(name: Name, value: Value | undefined): { [name in Name]?: Value } {
  return value === undefined ? {} : ({ [name]: value } as { [name in Name]: Value });
}
