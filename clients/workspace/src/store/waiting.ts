/**
 * Questions that the server may not have: they wait for a connection, or were sent over one that may be dead. They are
 * stored until the server's first frame for them has come.
 */
import { type ChatMessage, type Database, schema } from "@adiuva/client/database";
import { and, asc, desc, eq, gte, inArray, isNotNull, isNull, notExists, or, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { isWaiting, type Unconfirmed } from "../chat/parts";

const { aiChatMessages: messages } = schema;
// Of the user's messages, only those that are unconfirmed have any.
const IS_UNCONFIRMED = and(eq(messages.role, "user"), isNotNull(messages.toolCalls));

/** The conversations in which questions wait, the one with the oldest first. */
export async function sessionsWaiting(database: Database): Promise<Set<string>> {
  const found = await database.snapshot(
    async (orm) => await orm.select().from(messages).where(IS_UNCONFIRMED).orderBy(messages.createdAt),
  );
  return new Set(found.filter(isWaiting).map(({ sessionId }) => sessionId));
}

/** Far more than answers can be in progress at a time; all of them would hold up the start. */
const LATEST_SESSIONS = 100;

/** The latest conversations in which a question that the server has is followed by no answer. */
export async function sessionsUnanswered(database: Database): Promise<Set<string>> {
  const { aiChatSessions: sessions } = schema;
  const answers = alias(messages, "answers");
  const isAnswer = and(
    eq(answers.sessionId, messages.sessionId),
    gte(answers.createdAt, messages.createdAt),
    eq(answers.role, "assistant"),
    or(isNull(answers.toolCalls), sql`instr(${answers.toolCalls}, ${messages.id}) > 0`),
  );
  const found = await database.snapshot(async (orm) => {
    const latest = orm
      .select({ id: sessions.id })
      .from(sessions)
      .orderBy(desc(sessions.updatedAt))
      .limit(LATEST_SESSIONS);
    return await orm
      .select({ sessionId: messages.sessionId })
      .from(messages)
      .where(
        and(
          inArray(messages.sessionId, latest),
          eq(messages.role, "user"),
          isNull(messages.toolCalls),
          notExists(orm.select({ id: answers.id }).from(answers).where(isAnswer)),
        ),
      )
      .orderBy(messages.createdAt);
  });
  return new Set(found.map(({ sessionId }) => sessionId));
}

export interface Sent {
  /** The oldest question, which waits no longer. */
  readonly question: ChatMessage;
  /** It and those that still wait, as they are now stored. */
  readonly moved: readonly ChatMessage[];
}

/**
 * Stores that a conversation's oldest waiting question is sent at `now`, in milliseconds; null if none waits. It and
 * the others move to the conversation's end, so that each answer follows its question.
 */
export async function sendOldest(database: Database, sessionId: string, now: number): Promise<Sent | null> {
  return await database.transaction(async (orm) => {
    const waiting = (
      await orm
        .select()
        .from(messages)
        .where(and(IS_UNCONFIRMED, eq(messages.sessionId, sessionId)))
        .orderBy(asc(messages.createdAt), asc(sql`rowid`))
    ).filter(isWaiting);
    const moved = waiting.map((message, index) => ({
      ...message,
      createdAt: now + index,
      toolCalls: index === 0 ? marked(message, { waiting: false }) : message.toolCalls,
    }));
    for (const { id, createdAt, toolCalls } of moved) {
      await orm.update(messages).set({ createdAt, toolCalls }).where(eq(messages.id, id));
    }
    const [question] = moved;
    return question === undefined ? null : { question, moved };
  });
}

/** The server has the question. Idempotent. */
export async function confirm(database: Database, id: string): Promise<void> {
  await database.transaction(async (orm) => {
    await orm
      .update(messages)
      .set({ toolCalls: null })
      .where(and(IS_UNCONFIRMED, eq(messages.id, id)));
  });
}

/**
 * A question that was sent and not confirmed waits again, without an `id` all of them. Returns those that do, as they
 * are now stored.
 */
export async function waitAgain(database: Database, id?: string): Promise<ChatMessage[]> {
  const isMeant: SQL | undefined = id === undefined ? IS_UNCONFIRMED : and(IS_UNCONFIRMED, eq(messages.id, id));
  return await database.transaction(async (orm) => {
    const sent = (await orm.select().from(messages).where(isMeant)).filter((message) => !isWaiting(message));
    const waiting = sent.map((message) => ({ ...message, toolCalls: marked(message, { waiting: true }) }));
    for (const { id, toolCalls } of waiting) {
      await orm.update(messages).set({ toolCalls }).where(eq(messages.id, id));
    }
    return waiting;
  });
}

function marked({ toolCalls }: ChatMessage, { waiting }: { waiting: boolean }): Unconfirmed[] {
  return (toolCalls as Unconfirmed[]).map((each) => ({ ...each, waiting }));
}
