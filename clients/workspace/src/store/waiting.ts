/** Questions that were asked without a connection: stored until they are sent. */
import { type ChatMessage, type Database, schema } from "@adiuva/client/database";
import { and, asc, eq, isNotNull, sql } from "drizzle-orm";

const { aiChatMessages: messages } = schema;
// Of the user's messages, only those that wait have any.
const WAITS = and(eq(messages.role, "user"), isNotNull(messages.toolCalls));

/** The conversations that have some, the one with the oldest first. */
export async function sessionsWaiting(database: Database): Promise<Set<string>> {
  const waiting = await database.snapshot(
    async (orm) => await orm.select({ id: messages.sessionId }).from(messages).where(WAITS).orderBy(messages.createdAt),
  );
  return new Set(waiting.map(({ id }) => id));
}

export interface Sent {
  /** The oldest question as it waited. */
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
    const waiting = await orm
      .select()
      .from(messages)
      .where(and(WAITS, eq(messages.sessionId, sessionId)))
      .orderBy(asc(messages.createdAt), asc(sql`rowid`));
    const [question] = waiting;
    if (question === undefined) {
      return null;
    }
    const moved = waiting.map((message, index) => ({
      ...message,
      createdAt: now + index,
      toolCalls: index === 0 ? null : message.toolCalls,
    }));
    for (const { id, createdAt, toolCalls } of moved) {
      await orm.update(messages).set({ createdAt, toolCalls }).where(eq(messages.id, id));
    }
    return { question, moved };
  });
}
