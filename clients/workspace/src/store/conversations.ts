/** Conversations: sends questions, and stores them and their answers. */

import {
  type AdiuvaClient,
  AnswerLost,
  ConnectionEnded,
  ConnectionFailed,
  type JobUpdate,
  type MemoryName,
  newUuid,
  RequestRejected,
  type Scope,
  type Turn,
} from "@adiuva/client";
import {
  AiChat,
  type ChatMessage,
  type ChatSession,
  type Database,
  type NewMessage,
  ShownJobs,
} from "@adiuva/client/database";
import {
  alongWith,
  begun,
  briefOf,
  grown,
  isWaiting,
  type Live,
  type More,
  type Outcome,
  outcomeOf,
  picturesOf,
  textOf,
  unconfirmedOf,
} from "../chat/parts";
import { type Edit, edited, type Forgettable } from "../chat/remembered";
import { msg } from "../i18n/msg";
import type { Asked, Brief, OpenChat, Picture, StoreEvent } from "../rpc/messages";
import type { PictureCopies } from "./asked_pictures";
import { latestOf } from "./latest";
import { dropEdits, editsOf, keepEdit, reviseAnswers } from "./remembered";
import { confirm, sendOldest, sessionsUnanswered, sessionsWaiting, waitAgain } from "./waiting";

/** How much of the conversation is sent to the server, which stores none of it. */
const TOLD_MESSAGES = 40;
const TOLD_CHARACTERS = 60_000;
/** How long the server keeps an answer after its end, in milliseconds. */
const RESUMABLE_MS = 10 * 60_000;
const TITLE_CHARACTERS = 80;

/** A scope as it is stored. */
type Kept = Record<string, unknown> | null;
type Prepared = { pictures: readonly Picture[]; brief: Brief | undefined };
type Told = { role: ChatMessage["role"]; content: string };

export class Conversations {
  readonly #database: Database;
  readonly #chat: AiChat;
  readonly #shown: ShownJobs;
  readonly #pictures: PictureCopies;
  readonly #client: () => AdiuvaClient;
  readonly #tell: (event: StoreEvent) => void;
  readonly #isOnline: () => boolean;
  readonly #live = new Map<string, Live>();
  /** What the user has corrected and forgotten since the answers in progress began, by their request. */
  readonly #edits = new Map<string, Edit[]>();
  /** The conversations whose waiting questions are being sent. */
  readonly #sending = new Set<string>();

  constructor(parts: {
    database: Database;
    pictures: PictureCopies;
    client: () => AdiuvaClient;
    tell: (event: StoreEvent) => void;
    isOnline: () => boolean;
  }) {
    this.#database = parts.database;
    this.#chat = new AiChat(parts.database);
    this.#shown = new ShownJobs(parts.database);
    this.#pictures = parts.pictures;
    this.#client = parts.client;
    this.#tell = parts.tell;
    this.#isOnline = parts.isOnline;
  }

  async open(sessionId: string, limit: number): Promise<OpenChat | null> {
    const latest = await latestOf(this.#database, sessionId, limit);
    const live = [...this.#live.values()].filter((each) => each.sessionId === sessionId);
    return latest && { ...latest, live: live.map((each) => this.#revised(each)) };
  }

  async delete(sessionId: string): Promise<void> {
    await this.#stopWhere((live) => live.sessionId === sessionId);
    const { messages = [] } = (await this.#chat.getSession(sessionId)) ?? {};
    await this.#chat.deleteSession(sessionId);
    await this.#pictures.forget(messages.flatMap(picturesOf));
    this.#tell({ type: "chats" });
  }

  async ask(asked: Asked): Promise<string> {
    const { channel, sessionId, message, scope, model } = asked;
    const { pictures, brief } = await this.#prepared(asked);
    await this.#pictures.keep(pictures);
    const known = sessionId === null ? null : await latestOf(this.#database, sessionId, TOLD_MESSAGES);
    const title = Array.from(message).slice(0, TITLE_CHARACTERS).join("");
    const session = known?.session ?? (await this.#chat.createSession(channel, { title, scope: scope as Kept }));
    const waits = !this.#isOnline() || (known?.messages ?? []).some(isWaiting);
    const requestId = newUuid();
    // The user's message has the request's id, so that after a restart its answer can be resumed.
    const images = pictures.map(({ id }) => id) as NonNullable<More["images"]>;
    const more = { ...(model && { model }), ...(images.length > 0 && { images }) };
    await this.#keep(session.id, {
      id: requestId,
      role: "user",
      content: message,
      scope: scope as Kept,
      toolCalls: [{ waiting: waits, ...(brief && { brief }), more }],
      ...((pictures.length > 0 || brief) && { toolResults: alongWith({ pictures, brief }) }),
    });
    this.#tell({ type: "chats" });
    if (waits) {
      await this.sendWaiting();
    } else {
      const history = told(known?.messages ?? []);
      void this.#follow(
        session.id,
        begin(this.#client(), { requestId, session, scope, history, message, brief, more }),
        scope as Kept,
      );
    }
    return session.id;
  }

  /**
   * What goes along with a question. One that is asked again is deleted with all that followed, and its pictures go
   * along with the new one; in the same words it asks for the same brief.
   */
  async #prepared({ sessionId, message, again, pictures = [], brief }: Asked): Promise<Prepared> {
    const known = sessionId === null || again === undefined ? null : await this.#chat.getSession(sessionId);
    const before = known?.messages.find(({ id }) => id === again);
    if (known === null || before === undefined) {
      return { pictures, brief };
    }
    const gone = known.messages.slice(known.messages.indexOf(before));
    // First: what is refused leaves the conversation as it is.
    const given = await this.#pictures.giveAgain(picturesOf(before));
    await this.#chat.deleteFrom(known.id, before.id);
    this.#tell({ type: "cut", sessionId: known.id, messageId: before.id });
    await this.#pictures.forget(gone.flatMap(picturesOf));
    return { pictures: given, brief: message === before.content ? briefOf(before) : undefined };
  }

  /** Sends the questions that were asked without a connection; those of a conversation one after the other. */
  async sendWaiting(): Promise<void> {
    const waiting = this.#isOnline() ? await sessionsWaiting(this.#database) : [];
    for (const sessionId of waiting) {
      if (!this.#sending.has(sessionId)) {
        this.#sending.add(sessionId);
        void this.#sendAll(sessionId).finally(() => this.#sending.delete(sessionId));
      }
    }
  }

  async #sendAll(sessionId: string): Promise<void> {
    let hasMore = true;
    while (hasMore && this.#isOnline()) {
      hasMore = await this.#sendOne(sessionId);
    }
  }

  /** False if none waits. */
  async #sendOne(sessionId: string): Promise<boolean> {
    const sent = await sendOldest(this.#database, sessionId, Date.now());
    const known = await latestOf(this.#database, sessionId, TOLD_MESSAGES);
    if (sent === null || known === null) {
      return false;
    }
    const { question, moved } = sent;
    for (const message of moved) {
      this.#tell({ type: "message", message });
    }
    const isMoved = new Set(moved.map(({ id }) => id));
    const turn = begin(this.#client(), {
      requestId: question.id,
      session: known.session,
      scope: question.scope as Scope | null,
      history: told(known.messages.filter(({ id }) => !isMoved.has(id))),
      message: question.content,
      brief: unconfirmedOf(question)?.brief,
      more: unconfirmedOf(question)?.more ?? {},
    });
    await this.#follow(sessionId, turn, question.scope, editsOf(question));
    return true;
  }

  /** A question that the server may not have is not sent again. */
  async stop(requestId: string): Promise<void> {
    this.#client().turn(requestId)?.cancel();
    await confirm(this.#database, requestId);
  }

  async stopAll(): Promise<void> {
    await this.#stopWhere(() => true);
  }

  async #stopWhere(isMeant: (live: Live) => boolean): Promise<void> {
    for (const live of [...this.#live.values()].filter(isMeant)) {
      await this.stop(live.requestId);
    }
  }

  /** Answers show what was remembered for them as it has been corrected. */
  async noteCorrected({ id, kind }: MemoryName, text: string): Promise<void> {
    await this.#revise({ type: "corrected", item: { id, kind }, text });
  }

  /** No answer shows what was forgotten. */
  async noteForgotten({ id, kind, said_in }: Forgettable): Promise<void> {
    // Not the words, which an item has as well.
    await this.#revise({ type: "forgotten", item: { id, kind, ...(said_in !== undefined && { said_in }) } });
  }

  async noteAllForgotten(): Promise<void> {
    await this.#revise({ type: "forgotten" });
  }

  async #revise(edit: Edit): Promise<void> {
    for (const edits of this.#edits.values()) {
      edits.push(edit);
    }
    await keepEdit(this.#database, [...this.#edits.keys()], edit);
    if ((await reviseAnswers(this.#database, edit)) || this.#edits.size > 0) {
      this.#tell({ type: "renewed" });
    }
  }

  #revised(live: Live): Live {
    const edits = this.#edits.get(live.requestId) ?? [];
    return live.remembered === undefined ? live : { ...live, remembered: edits.reduce(edited, live.remembered) };
  }

  /**
   * Lets the questions wait that the server may not have, from before the browser or the tab with the data was closed:
   * they are sent again with the same id. Call it before the client connects.
   */
  async recover(): Promise<void> {
    await this.#waitAgain();
  }

  /** Resumes the answers that were in progress then. */
  async resume(now: number): Promise<void> {
    for (const sessionId of await sessionsUnanswered(this.#database)) {
      await this.#resumeIn(sessionId, now);
    }
  }

  /** Stores how a job ended, once. */
  async deliver(update: JobUpdate): Promise<boolean> {
    if (!(await this.#shown.has(update.job_id))) {
      const session = await this.#sessionOf(update);
      const content = update.response ?? update.error?.message ?? msg("The work was stopped.");
      await this.#keep(session, { role: "assistant", content, toolResults: [{ type: "text", text: content }] });
      await this.#shown.add(update.job_id);
    }
    return true;
  }

  async #sessionOf(update: JobUpdate): Promise<string> {
    const known = update.session_id === undefined ? null : await latestOf(this.#database, update.session_id, 1);
    return (known?.session ?? (await this.#chat.listSessions("home", 1))[0] ?? (await this.#chat.createSession("home")))
      .id;
  }

  async #resumeIn(sessionId: string, now: number): Promise<void> {
    const messages = (await latestOf(this.#database, sessionId, TOLD_MESSAGES))?.messages ?? [];
    const unanswered = messages.filter(
      (message, index) =>
        message.role === "user" &&
        unconfirmedOf(message) === undefined &&
        !messages.slice(index).some((later) => isAnswerTo(message, later)),
    );
    for (const question of unanswered) {
      const { id, createdAt, scope } = question;
      if (now - createdAt > RESUMABLE_MS) {
        await this.#finish(begun(id, sessionId), failure(id, new AnswerLost()), scope);
      } else {
        void this.#follow(sessionId, this.#client().resume(id), scope, editsOf(question));
      }
    }
  }

  /** Resolves when the answer has ended. `edits` are those since the question was asked. */
  async #follow(sessionId: string, turn: Turn, scope: Kept, edits: Edit[] = []): Promise<void> {
    const live = begun(turn.requestId, sessionId);
    this.#live.set(turn.requestId, live);
    this.#edits.set(turn.requestId, edits);
    this.#tell({ type: "begun", live });
    await this.#write(sessionId, turn, scope);
  }

  async #write(sessionId: string, turn: Turn, scope: Kept): Promise<void> {
    const { requestId } = turn;
    let live = begun(requestId, sessionId);
    let outcome: Outcome | undefined;
    try {
      for await (const event of turn) {
        this.#tell({ type: "turn", sessionId, requestId, index: live.count, event });
        live = grown(live, event);
        this.#live.set(requestId, live);
        if (live.count === 1) {
          await confirm(this.#database, requestId);
        }
        if (event.type === "end") {
          const { finishReason, mutations, error } = event;
          outcome = { requestId, finishReason, mutations, ...(error === undefined ? {} : { error }) };
        }
      }
    } catch (error) {
      if (isRepeated(error)) {
        return await this.#write(sessionId, this.#client().resume(requestId), scope);
      }
      if (isOfConnection(error) && (await this.#waitAgain(requestId))) {
        this.#end(live);
        return;
      }
      outcome = failure(requestId, error);
    }
    await this.#finish(live, outcome ?? failure(requestId, new AnswerLost()), scope);
  }

  /** False if the server has the question with this id. */
  async #waitAgain(id?: string): Promise<boolean> {
    const waiting = await waitAgain(this.#database, id);
    for (const message of waiting) {
      this.#tell({ type: "message", message });
    }
    return waiting.length > 0;
  }

  async #finish(live: Live, outcome: Outcome, scope: Kept): Promise<void> {
    if (live.count === 0) {
      await confirm(this.#database, live.requestId);
    }
    const { parts, remembered } = this.#revised(live);
    await this.#keep(live.sessionId, {
      role: "assistant",
      content: textOf(parts),
      toolResults: [...parts],
      toolCalls: [remembered === undefined ? outcome : { ...outcome, remembered }],
      scope,
    });
    this.#end(live);
    await dropEdits(this.#database, live.requestId);
  }

  #end({ requestId, sessionId }: Live): void {
    this.#live.delete(requestId);
    this.#edits.delete(requestId);
    this.#tell({ type: "over", sessionId, requestId });
  }

  async #keep(sessionId: string, said: NewMessage): Promise<void> {
    const message = await this.#chat.appendMessage(sessionId, said);
    if (message !== null) {
      this.#tell({ type: "message", message });
    }
  }
}

/** An answer that names no request, as in a copy of another program, is one to any question before it. */
function isAnswerTo(question: ChatMessage, message: ChatMessage): boolean {
  return message.role === "assistant" && (outcomeOf(message)?.requestId ?? question.id) === question.id;
}

function begin(
  client: AdiuvaClient,
  asked: {
    requestId: string;
    session: ChatSession;
    scope: Scope | null;
    history: Told[];
    message: string;
    brief: Brief | undefined;
    more: More;
  },
): Turn {
  const { requestId, session, scope, history, message, brief, more } = asked;
  if (brief !== undefined) {
    const chosen = more.model === undefined ? {} : { model: more.model };
    return brief.of === "day" ? client.brief(chosen, requestId) : client.taskBrief(brief.taskId, requestId, chosen);
  }
  return scope === null
    ? client.home({ message, session_id: session.id, conversation_history: history, ...more }, requestId)
    : client.contextual({ message, session_id: session.id, scope, history, ...more }, requestId);
}

/** The latest messages within the limits, the oldest first. */
export function told(messages: readonly ChatMessage[]): Told[] {
  const latest: Told[] = [];
  let characters = 0;
  for (const { role, content } of messages.slice(-TOLD_MESSAGES).reverse()) {
    characters += content.length;
    if (characters > TOLD_CHARACTERS) {
      break;
    }
    if (content !== "") {
      latest.unshift({ role, content });
    }
  }
  return latest;
}

/** Without advice to ask again: the page offers that, unless the answer's question is still open. */
const CUT_OFF = msg("The answer was cut off: the server no longer has it, as after a restart. What it changed stays.");

/** Whether the server has the request already, with other words around it: it was sent before, and is resumed. */
function isRepeated(error: unknown): boolean {
  return error instanceof RequestRejected && error.code === "request_id_reused";
}

function isOfConnection(error: unknown): boolean {
  return error instanceof ConnectionFailed || error instanceof ConnectionEnded;
}

function failure(requestId: string, error: unknown): Outcome {
  const message =
    error instanceof AnswerLost ? CUT_OFF : error instanceof Error ? error.message : msg("The answer was interrupted.");
  const retryable = error instanceof RequestRejected ? error.retryable : true;
  return { requestId, finishReason: "error", mutations: [], error: { message, retryable } };
}
