/** A device's client: sends requests, reads the streamed answers, answers calls, and reconnects by itself. */
import { AdiuvaError, CallRefused, ConnectionEnded, ConnectionFailed, Unauthorized } from "../errors.js";
import type { Call, ToolExecutor, Undone, UndoWhat } from "../executor/executor.js";
import { type Clock, type Draw, type IdMaker, newUuid, systemClock } from "../ports.js";
import type {
  BriefRequest,
  ClientFrame,
  ContextualRequest,
  DeviceHello,
  DeviceWelcome,
  ErrorFrame,
  HomeRequest,
  PopupRequest,
  ServerFrame,
  TaskBriefRequest,
} from "../protocol/frames.js";
import { type OnFault, raiseLater, tell } from "../telling.js";
import { socketAddress } from "./addresses.js";
import { answerTo } from "./answering.js";
import { Approvals, type Approver } from "./approvals.js";
import { BACKOFF, Backoff, type BackoffLimits } from "./backoff.js";
import { isAboutToken, isFinal, isForNow, isRevoked, sentenceOf } from "./closing.js";
import { Connection, type Ending } from "./connection.js";
import { Jobs, type JobWatcher } from "./jobs.js";
import type { OpenSocket } from "./sockets.js";
import { RunningTurn, type Turn, type TurnFrame, type TurnRequest } from "./turn.js";

/** How long callers wait for the server; a lost call waits 30 s. */
const PATIENCE_MS = 120_000;
/** The pause after the server has refused this device, or an answer of it, for now; before the random one. */
const LATER_MS = 2_000;
const PROTOCOL_VERSION = 3;

/** Why a token is needed: to connect, because the server refused the last one, or because that expires soon. */
export type TokenReason = "connect" | "refused" | "expiring";

/** Returns an access token, a new one unless the reason is `connect`. Throws `Unauthorized` if there is none. */
export type TokenProvider = (reason: TokenReason) => Promise<string>;

export interface DeviceDescription {
  /** Permanent. */
  readonly id: string;
  readonly platform?: string;
  readonly appVersion?: string;
  /** An IANA name. */
  readonly timezone?: string;
  readonly language?: string;
}

export interface ClientOptions {
  /** The server's address, such as `https://adiuva.example`; without encryption only on this machine. */
  readonly server: string;
  readonly sockets: OpenSocket;
  readonly token: TokenProvider;
  readonly device: DeviceDescription;
  /** Without one the server learns that this device stores no data. */
  readonly executor?: ToolExecutor;
  /** The model that answers requests which choose none, by its name in the welcome; without it the server's default. */
  readonly model?: string;
  /** Without one the server refuses everything that needs approval. */
  readonly approve?: Approver;
  readonly jobs?: JobWatcher;
  /** Gets errors that belong to no request. */
  readonly onProblem?: (problem: ErrorFrame) => void;
  /** Gets errors of listeners; without it the platform reports them. */
  readonly onFault?: OnFault;
  /** Whether calls arrive as `data_request` and `mutation`, for clients that handle reads and writes separately. */
  readonly dataFrames?: boolean;
  /** Whether turns tell what was remembered for them, for clients that show it. */
  readonly remembered?: boolean;
  readonly clock?: Clock;
  readonly newId?: IdMaker;
  readonly draw?: Draw;
  readonly backoff?: BackoffLimits;
  readonly patienceMs?: number;
}

/** The client's state. `waiting` tries again at `until` (milliseconds since 1970), `ended` never does. */
export type ClientState =
  | { readonly at: "idle" }
  | { readonly at: "connecting" }
  | { readonly at: "online"; readonly welcome: DeviceWelcome }
  | { readonly at: "waiting"; readonly until: number; readonly why: AdiuvaError }
  | { readonly at: "ended"; readonly why: AdiuvaError };

type Request<Frame> = Omit<Frame, "type" | "request_id">;
export type Scope = ContextualRequest["scope"];

/** Any number of answers may stream at once; each survives a lost connection. */
export class AdiuvaClient {
  readonly #options: ClientOptions;
  readonly #address: string;
  readonly #clock: Clock;
  readonly #patienceMs: number;
  readonly #onFault: OnFault;
  readonly #newId: IdMaker;
  readonly #backoff: Backoff;
  readonly #approvals: Approvals | undefined;
  readonly #jobs: Jobs | undefined;
  readonly #turns = new Map<string, RunningTurn>();
  readonly #navigations = new Map<string, Scope>();
  /** As the option `model`, for requests from now on. */
  model: string | undefined;
  readonly #listeners = new Set<(state: ClientState) => void>();
  #language: string | undefined;
  #state: ClientState = { at: "idle" };
  #connection: Connection | undefined;
  /** Counts attempts, so that an abandoned one does nothing more. */
  #try = 0;
  #wants: TokenReason = "connect";
  #retryAfterMs = 0;
  #serverTime = 0;
  #stopPause: () => void = () => undefined;
  #stopPatience: (() => void) | undefined;
  readonly #putOff = new Set<RunningTurn>();
  #stopPutOff: (() => void) | undefined;

  /** Throws `AddressRefused`. */
  constructor(options: ClientOptions) {
    this.#options = options;
    this.model = options.model;
    this.#language = options.device.language;
    this.#address = socketAddress(options.server);
    this.#clock = options.clock ?? systemClock;
    this.#patienceMs = options.patienceMs ?? PATIENCE_MS;
    this.#onFault = options.onFault ?? raiseLater;
    this.#newId = options.newId ?? newUuid;
    this.#backoff = new Backoff(options.backoff ?? BACKOFF, options.draw ?? Math.random);
    const send = (frame: ClientFrame) => this.#send(frame);
    this.#approvals = options.approve && new Approvals(options.approve, this.#clock, send);
    this.#jobs = options.jobs && new Jobs(options.jobs, send, this.#onFault);
  }

  get state(): ClientState {
    return this.#state;
  }

  /** Calls `listener` with each new state; returns a function that unsubscribes it. */
  onState(listener: (state: ClientState) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Connects and stays connected; also after an end, as when the user has signed in again. */
  start(): void {
    if (this.#state.at === "idle" || this.#state.at === "ended") {
      this.#wants = "connect";
      this.#backoff.reset();
      void this.#connect();
    }
  }

  /** Tries at once instead of waiting, and checks that the connection still works: call it after a sleep. */
  wake(): void {
    this.#connection?.check();
    if (this.#state.at === "waiting") {
      this.#stopPause();
      void this.#connect();
    }
  }

  /**
   * Gives the connection up without waiting until it was silent for too long, and connects again after a pause: call it
   * when the platform says that the network is gone.
   */
  networkLost(): void {
    this.#connection?.close();
  }

  /** The device's `language` from now on. A connection is made again, because only its hello tells the language. */
  speak(language: string): void {
    if (language === this.#language) {
      return;
    }
    this.#language = language;
    if (this.#connection !== undefined) {
      this.#connection.close();
      this.wake();
    }
  }

  /** The welcome of the present connection or the next. Rejects if there will be none. */
  online(): Promise<DeviceWelcome> {
    return new Promise((resolve, reject) => {
      const settle = (state: ClientState): boolean => {
        if (state.at === "online") {
          resolve(state.welcome);
        } else if (state.at === "ended") {
          reject(state.why);
        }
        return state.at === "online" || state.at === "ended";
      };
      if (!settle(this.#state)) {
        const stop = this.onState((state) => settle(state) && stop());
      }
    });
  }

  /** Disconnects. Running turns continue on the server; here they end with `ConnectionEnded`. */
  close(): void {
    this.#finish(new ConnectionEnded("The client was closed."));
  }

  /** A full answer: text and blocks. */
  home(request: Request<HomeRequest>, requestId = this.#newId()): Turn {
    return this.#ask({ type: "home_request", ...request }, requestId);
  }

  /** A short answer about the thing or list in `scope`. */
  popup(request: Request<PopupRequest>, requestId = this.#newId()): Turn {
    return this.#ask({ type: "popup_request", ...request }, requestId);
  }

  /** An answer beside the page in `scope`. */
  contextual(request: Request<ContextualRequest>, requestId = this.#newId()): Turn {
    return this.#ask({ type: "contextual_request", ...request }, requestId);
  }

  /** The brief of a day, such as 2026-11-24; of today without one. */
  brief(request: Request<BriefRequest> = {}, requestId = this.#newId()): Turn {
    return this.#ask({ type: "brief_request", ...request }, requestId);
  }

  /** What to know before a task. */
  taskBrief(taskId: string, requestId = this.#newId(), more: Pick<TaskBriefRequest, "model"> = {}): Turn {
    return this.#ask({ type: "task_brief_request", task_id: taskId, ...more }, requestId);
  }

  /** An answer to an earlier request: the frames after `afterSeq` (-1: all), and those to come. */
  resume(requestId: string, { afterSeq = -1 }: { afterSeq?: number } = {}): Turn {
    return this.#ask({ type: "resume" }, requestId, afterSeq);
  }

  /** The client's running turn with this id. */
  turn(requestId: string): Turn | undefined {
    return this.#turns.get(requestId);
  }

  /** Tells the server that the user has navigated; while offline, only a session's last scope is sent later. */
  navigate(sessionId: string, scope: Scope): void {
    if (!this.#send({ type: "contextual_scope_update", session_id: sessionId, scope })) {
      this.#navigations.set(sessionId, scope);
    }
  }

  /**
   * Undoes changes on this device, such as all that an answer changed: `{request: turn.requestId}`. The server is not
   * asked. If a row was changed since, nothing is undone, unless `isPartial`. Throws `CallRefused` without a journal.
   */
  async undo(what: UndoWhat, options: { isPartial?: boolean } = {}): Promise<Undone> {
    const { executor } = this.#options;
    if (executor?.undo === undefined) {
      throw new CallRefused("This device cannot undo changes.");
    }
    return await executor.undo(what, options);
  }

  #ask(request: TurnRequest, requestId: string, after?: number): Turn {
    const known = this.#turns.get(requestId);
    if (known !== undefined) {
      return known;
    }
    const chosen = this.model === undefined || request.type === "resume" ? request : { model: this.model, ...request };
    const turn = new RunningTurn(requestId, chosen, (frame) => this.#send(frame), after);
    if (this.#state.at === "ended") {
      turn.fail(this.#state.why);
      return turn;
    }
    this.#turns.set(requestId, turn);
    if (this.#state.at === "online") {
      turn.connected();
    } else {
      this.#beginPatience();
    }
    return turn;
  }

  // The way to a connection

  async #connect(): Promise<void> {
    this.#try += 1;
    const mine = this.#try;
    this.#become({ at: "connecting" });
    let token: string;
    try {
      token = await this.#options.token(this.#wants);
    } catch (error) {
      if (mine === this.#try) {
        this.#tokenFailed(error);
      }
      return;
    }
    if (mine === this.#try) {
      this.#tryToOpen(token, mine);
    }
  }

  #tryToOpen(token: string, mine: number): void {
    try {
      this.#open(token, mine);
    } catch {
      this.#pause(new ConnectionFailed(`No socket opens at ${this.#options.server}.`));
    }
  }

  #tokenFailed(error: unknown): void {
    if (error instanceof Unauthorized) {
      this.#finish(error);
    } else {
      this.#pause(error instanceof AdiuvaError ? error : new ConnectionFailed());
    }
  }

  #open(token: string, mine: number): void {
    const isMine = () => mine === this.#try;
    this.#connection = new Connection(
      this.#options.sockets,
      { address: this.#address, token, hello: this.#hello(), clock: this.#clock },
      {
        welcomed: (welcome) => isMine() && this.#welcomed(welcome),
        received: (frame) => isMine() && this.#take(frame),
        closed: (ending) => isMine() && this.#lost(ending),
      },
    );
  }

  #hello(): DeviceHello {
    const { device, executor, approve, jobs, dataFrames, remembered } = this.#options;
    const shown = [
      ...(approve ? ["approvals"] : []),
      ...(jobs ? ["job_ack"] : []),
      ...(remembered ? ["remembered"] : []),
    ];
    return {
      type: "device_hello",
      device_id: device.id,
      protocol: PROTOCOL_VERSION,
      ...(device.platform === undefined ? {} : { platform: device.platform }),
      ...(device.appVersion === undefined ? {} : { app_version: device.appVersion }),
      ...(device.timezone === undefined ? {} : { timezone: device.timezone }),
      ...(this.#language === undefined ? {} : { language: this.#language }),
      capabilities: ["pong", ...(dataFrames ? ["data_frames"] : []), ...(executor?.capabilities ?? []), ...shown],
    };
  }

  #welcomed(welcome: DeviceWelcome): void {
    this.#wants = "connect";
    this.#retryAfterMs = 0;
    this.#serverTime = welcome.server_time - this.#clock.now();
    this.#backoff.reset();
    this.#endPatience();
    this.#become({ at: "online", welcome });
    for (const [session, scope] of this.#navigations) {
      this.#send({ type: "contextual_scope_update", session_id: session, scope });
    }
    this.#navigations.clear();
    for (const turn of [...this.#turns.values()]) {
      this.#dropWhenOver(turn);
      turn.connected();
    }
  }

  #lost(ending: Ending): void {
    const wasOnline = this.#state.at === "online";
    const refusal = ending.refusal?.code;
    const isAboutTokens = isAboutToken(ending.code) || refusal === "unauthorized" || refusal === "token_expired";
    const why = new ConnectionFailed(ending.refusal?.message ?? sentenceOf(ending.code));
    if (ending.isUnreadable) {
      this.#finish(new ConnectionEnded("The server sent something that is not a frame."));
    } else if (isRevoked(ending.code)) {
      this.#finish(new Unauthorized(sentenceOf(ending.code)));
    } else if (isFinal(ending.code)) {
      this.#finish(new ConnectionEnded(sentenceOf(ending.code), ending.code));
    } else if (isAboutTokens && !wasOnline && this.#wants === "refused") {
      this.#finish(new Unauthorized(ending.refusal?.message));
    } else if (isAboutTokens) {
      this.#wants = "refused";
      this.#pause(why);
    } else {
      if (isForNow(ending.code)) {
        this.#retryAfterMs = Math.max(this.#retryAfterMs, LATER_MS);
      }
      this.#pause(why);
    }
  }

  #pause(why: AdiuvaError): void {
    this.#try += 1;
    this.#connection = undefined;
    // The next connection asks for all answers.
    this.#forgetPutOff();
    const pause = this.#backoff.pause(this.#retryAfterMs);
    this.#retryAfterMs = 0;
    this.#stopPause = this.#clock.after(pause, () => void this.#connect());
    if (this.#turns.size > 0) {
      this.#beginPatience();
    }
    this.#become({ at: "waiting", until: this.#clock.now() + pause, why });
  }

  #finish(why: AdiuvaError): void {
    this.#try += 1;
    this.#stopPause();
    this.#endPatience();
    this.#forgetPutOff();
    this.#connection?.close();
    this.#connection = undefined;
    this.#approvals?.endAll();
    this.#become({ at: "ended", why });
    this.#failTurns(why);
  }

  #beginPatience(): void {
    this.#stopPatience ??= this.#clock.after(this.#patienceMs, () => {
      this.#stopPatience = undefined;
      this.#failTurns(new ConnectionFailed("The connection was lost, and the server does not come back."));
    });
  }

  #endPatience(): void {
    this.#stopPatience?.();
    this.#stopPatience = undefined;
  }

  #failTurns(why: Error): void {
    const turns = [...this.#turns.values()];
    this.#turns.clear();
    for (const turn of turns) {
      turn.fail(why);
    }
  }

  #become(state: ClientState): void {
    this.#state = state;
    tell(this.#listeners, state, this.#onFault);
  }

  // Frames

  #send(frame: ClientFrame): boolean {
    return this.#connection?.send(frame) ?? false;
  }

  #take(frame: ServerFrame): void {
    switch (frame.type) {
      case "stream_start":
      case "popup_domain":
      case "remembered":
      case "stream_text":
      case "stream_block":
      case "stream_status":
      case "stream_end":
        this.#takeTurn(frame);
        break;
      case "tool_call":
      case "data_request":
      case "mutation":
        this.#turns.get(frame.request_id)?.called();
        void this.#answer(frame);
        break;
      case "approval_request":
        this.#approvals?.ask(frame, this.#serverTime);
        break;
      case "job_update":
        this.#jobs?.take(frame);
        break;
      case "error":
        this.#reject(frame);
        break;
      case "token_expiring":
        void this.#authenticate();
        break;
      case "server_shutdown":
        this.#retryAfterMs = frame.retry_after_ms;
        break;
      default:
      // Frames that this client does not use or know are ignored, as the protocol requires.
    }
  }

  #takeTurn(frame: TurnFrame): void {
    const turn = this.#turns.get(frame.request_id);
    turn?.take(frame);
    this.#dropWhenOver(turn);
    if (frame.type === "stream_end") {
      this.#approvals?.endTurn(frame.request_id);
    }
  }

  #reject(frame: ErrorFrame): void {
    const turn = frame.request_id === undefined ? undefined : this.#turns.get(frame.request_id);
    if (turn === undefined) {
      tell(this.#options.onProblem ? [this.#options.onProblem] : [], frame, this.#onFault);
      return;
    }
    if (turn.isPutOff(frame, this.#clock.now(), this.#patienceMs)) {
      this.#putOff.add(turn);
      this.#stopPutOff ??= this.#clock.after(LATER_MS, () => this.#askPutOff());
      return;
    }
    turn.reject(frame);
    this.#dropWhenOver(turn);
  }

  /** Asks again for the answers that the server has put off. */
  #askPutOff(): void {
    const turns = [...this.#putOff];
    this.#forgetPutOff();
    for (const turn of turns) {
      turn.connected();
    }
  }

  #forgetPutOff(): void {
    this.#stopPutOff?.();
    this.#stopPutOff = undefined;
    this.#putOff.clear();
  }

  #dropWhenOver(turn: RunningTurn | undefined): void {
    if (turn?.isOver) {
      this.#turns.delete(turn.requestId);
    }
  }

  async #answer(call: Call): Promise<void> {
    if (this.#state.at !== "online") {
      return;
    }
    const answer = await answerTo(call, this.#options.executor ?? NO_DATA, this.#state.welcome);
    if (answer !== null) {
      // On the connection that exists then. Without one the server asks again, and the journal has the answer.
      this.#send(answer);
    }
  }

  async #authenticate(): Promise<void> {
    const mine = this.#try;
    try {
      const token = await this.#options.token("expiring");
      if (mine === this.#try) {
        this.#send({ type: "authenticate", token });
      }
    } catch {
      // The server closes when the time is over; reconnecting asks for a token again, and reports if there is none.
    }
  }
}

const NO_DATA: ToolExecutor = {
  capabilities: [],
  execute: async () => ({ error: "This device keeps no data." }),
};
