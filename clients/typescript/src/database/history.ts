/** Conversations, stored on the device: the server stores none. */
import { and, desc, eq, inArray, sql } from "drizzle-orm";
import { type Clock, type IdMaker, newUuid, systemClock } from "../ports.js";
import type { Database } from "./database.js";
import { aiChatMessages, aiChatSessions } from "./schema.js";

export type ChatSession = typeof aiChatSessions.$inferSelect;
export type ChatMessage = typeof aiChatMessages.$inferSelect;
export type ChatChannel = ChatSession["channel"];

/** A new message. An id is made unless one is given, as for a message that is shown before it is stored. */
export type NewMessage = Pick<ChatMessage, "role" | "content"> &
  Partial<Pick<ChatMessage, "id" | "toolCalls" | "toolResults" | "scope">>;

export class AiChat {
  readonly #database: Database;
  readonly #clock: Pick<Clock, "now">;
  readonly #newId: IdMaker;

  constructor(
    database: Database,
    { clock = systemClock, newId = newUuid }: { clock?: Pick<Clock, "now">; newId?: IdMaker } = {},
  ) {
    this.#database = database;
    this.#clock = clock;
    this.#newId = newId;
  }

  /** The conversations of a channel, the most recently used first. */
  async listSessions(channel: ChatChannel, limit = 100): Promise<ChatSession[]> {
    return await this.#database.snapshot(
      async (orm) =>
        await orm
          .select()
          .from(aiChatSessions)
          .where(eq(aiChatSessions.channel, channel))
          .orderBy(desc(aiChatSessions.updatedAt), desc(sql`rowid`))
          .limit(limit),
    );
  }

  /** A conversation with its messages, the oldest first; null if there is none. */
  async getSession(id: string): Promise<(ChatSession & { messages: ChatMessage[] }) | null> {
    return await this.#database.snapshot(async (orm) => {
      const [session] = await orm.select().from(aiChatSessions).where(eq(aiChatSessions.id, id));
      if (session === undefined) {
        return null;
      }
      const messages = await orm
        .select()
        .from(aiChatMessages)
        .where(eq(aiChatMessages.sessionId, id))
        .orderBy(aiChatMessages.createdAt, sql`rowid`);
      return { ...session, messages };
    });
  }

  async createSession(
    channel: ChatChannel,
    { title = "", scope = null }: { title?: string; scope?: Record<string, unknown> | null } = {},
  ): Promise<ChatSession> {
    const now = this.#clock.now();
    const session = { id: this.#newId(), channel, title, createdAt: now, updatedAt: now, lastScope: scope };
    await this.#database.transaction(async (orm) => await orm.insert(aiChatSessions).values(session));
    return session;
  }

  /** The stored message; null if there is no such conversation. Its scope becomes the conversation's latest. */
  async appendMessage(sessionId: string, said: NewMessage): Promise<ChatMessage | null> {
    const now = this.#clock.now();
    const nothing = { toolCalls: null, toolResults: null, scope: null };
    const message = { ...nothing, id: this.#newId(), ...said, sessionId, createdAt: now };
    return await this.#database.transaction(async (orm) => {
      const scope = message.scope === null ? {} : { lastScope: message.scope };
      const touched = await orm
        .update(aiChatSessions)
        .set({ updatedAt: now, ...scope })
        .where(eq(aiChatSessions.id, sessionId))
        .returning({ id: aiChatSessions.id });
      if (touched.length === 0) {
        return null;
      }
      await orm.insert(aiChatMessages).values(message);
      return message;
    });
  }

  /** Deletes a message and all after it, as before it is asked in other words. Whether there was such a message. */
  async deleteFrom(sessionId: string, messageId: string): Promise<boolean> {
    return await this.#database.transaction(async (orm) => {
      const ids = await orm
        .select({ id: aiChatMessages.id })
        .from(aiChatMessages)
        .where(eq(aiChatMessages.sessionId, sessionId))
        .orderBy(aiChatMessages.createdAt, sql`rowid`);
      const from = ids.findIndex(({ id }) => id === messageId);
      if (from === -1) {
        return false;
      }
      const gone = ids.slice(from).map(({ id }) => id);
      await orm
        .delete(aiChatMessages)
        .where(and(eq(aiChatMessages.sessionId, sessionId), inArray(aiChatMessages.id, gone)));
      return true;
    });
  }

  async renameSession(id: string, title: string): Promise<void> {
    await this.#database.transaction(
      async (orm) => await orm.update(aiChatSessions).set({ title }).where(eq(aiChatSessions.id, id)),
    );
  }

  /** Whether there was such a conversation. Its messages are deleted too. */
  async deleteSession(id: string): Promise<boolean> {
    return await this.#database.transaction(async (orm) => {
      await orm.delete(aiChatMessages).where(eq(aiChatMessages.sessionId, id));
      const gone = await orm
        .delete(aiChatSessions)
        .where(eq(aiChatSessions.id, id))
        .returning({ id: aiChatSessions.id });
      return gone.length > 0;
    });
  }
}
