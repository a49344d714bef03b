/** What the user has pinned: conversations, and answers. */
import { desc, eq } from "drizzle-orm";
import { type Clock, systemClock } from "../ports.js";
import type { Database } from "./database.js";
import type { ChatMessage } from "./history.js";
import { aiChatMessages, aiChatSessions, pins } from "./schema.js";

export class Pins {
  readonly #database: Database;
  readonly #clock: Pick<Clock, "now">;

  constructor(database: Database, { clock = systemClock }: { clock?: Pick<Clock, "now"> } = {}) {
    this.#database = database;
    this.#clock = clock;
  }

  /** Idempotent: what is pinned stays where it is. */
  async set(id: string, isPinned: boolean): Promise<void> {
    await this.#database.transaction(async (orm) => {
      if (isPinned) {
        await orm.insert(pins).values({ id, at: this.#clock.now() }).onConflictDoNothing();
      } else {
        await orm.delete(pins).where(eq(pins.id, id));
      }
    });
  }

  /** The ids of pinned conversations, the latest first. */
  async sessions(): Promise<string[]> {
    const found = await this.#database.snapshot(
      async (orm) =>
        await orm
          .select({ id: pins.id })
          .from(pins)
          .innerJoin(aiChatSessions, eq(aiChatSessions.id, pins.id))
          .orderBy(desc(pins.at)),
    );
    return found.map(({ id }) => id);
  }

  /** The pinned answers, the latest first. */
  async answers(): Promise<ChatMessage[]> {
    const found = await this.#database.snapshot(
      async (orm) =>
        await orm
          .select({ message: aiChatMessages })
          .from(pins)
          .innerJoin(aiChatMessages, eq(aiChatMessages.id, pins.id))
          .orderBy(desc(pins.at)),
    );
    return found.map(({ message }) => message);
  }
}
