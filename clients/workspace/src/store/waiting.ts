/** Questions that were asked without a connection: stored until they are sent. */
import { type ChatMessage, type Database, schema } from "@adiuva/client/database";
import { and, asc, eq, isNotNull, sql } from "drizzle-orm";
import type { Waiting } from "../chat/parts";

const { aiChatMessages: messages } = schema;
// Of the user's messages, only those that wait have any.
const WAITS = and(eq(messages.role, "user"), isNotNull(messages.toolCalls));

/** The oldest first. */
export async function waitingIn(database: Database): Promise<ChatMessage[]> {
  return await database.snapshot(
    async (orm) => await orm.select().from(messages).where(WAITS).orderBy(asc(messages.createdAt), asc(sql`rowid`)),
  );
}

/** Stores that a question waits, or with null that it is sent. Returns the message; undefined if it was deleted. */
export async function setWaiting(
  database: Database,
  id: string,
  waiting: Waiting | null,
): Promise<ChatMessage | undefined> {
  return await database.transaction(async (orm) => {
    const toolCalls = waiting === null ? null : [waiting];
    return (await orm.update(messages).set({ toolCalls }).where(eq(messages.id, id)).returning())[0];
  });
}
