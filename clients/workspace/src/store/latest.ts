/** The end of a conversation: long ones are loaded in parts. */
import { type ChatMessage, type ChatSession, type Database, schema } from "@adiuva/client/database";
import { count, desc, eq, sql } from "drizzle-orm";

export interface Latest {
  readonly session: ChatSession;
  /** The oldest first. */
  readonly messages: ChatMessage[];
  /** The number of all messages. */
  readonly total: number;
}

/** The last `limit` messages; null if there is no such conversation. */
export async function latestOf(database: Database, sessionId: string, limit: number): Promise<Latest | null> {
  const { aiChatMessages: messages, aiChatSessions: sessions } = schema;
  return await database.snapshot(async (orm) => {
    const [session] = await orm.select().from(sessions).where(eq(sessions.id, sessionId));
    if (session === undefined) {
      return null;
    }
    const [counted] = await orm.select({ total: count() }).from(messages).where(eq(messages.sessionId, sessionId));
    const latest = await orm
      .select()
      .from(messages)
      .where(eq(messages.sessionId, sessionId))
      .orderBy(desc(messages.createdAt), desc(sql`rowid`))
      .limit(limit);
    return { session, messages: latest.reverse(), total: counted?.total ?? 0 };
  });
}
