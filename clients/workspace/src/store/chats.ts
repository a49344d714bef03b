/** The list of conversations: searched, renamed, pinned. */
import { AiChat, type ChatMessage, type ChatSession, type Database, Pins, schema } from "@adiuva/client/database";
import { desc, inArray, sql } from "drizzle-orm";
import { around } from "../parts/excerpt";
import { foldedText, wordsOf } from "../parts/folding";
import type { ListedChat, StoreEvent } from "../rpc/messages";

/** More than any user looks through. */
const LISTED = 1000;

export class Chats {
  readonly #database: Database;
  readonly #chat: AiChat;
  readonly #pins: Pins;
  readonly #tell: (event: StoreEvent) => void;

  constructor(database: Database, tell: (event: StoreEvent) => void) {
    this.#database = database;
    this.#chat = new AiChat(database);
    this.#pins = new Pins(database);
    this.#tell = tell;
  }

  /** `asking` are the ids of requests that wait for the user's yes or no. */
  async list(words: string, asking: readonly string[]): Promise<ListedChat[]> {
    const sought = wordsOf(words);
    const sessions = await this.#sessions();
    const found = sought.length === 0 ? null : await this.#found(sessions, sought);
    const pinned = new Set(await this.#pins.sessions());
    const waiting = new Set(await this.#sessionsOf(asking));
    return sessions
      .filter(({ id }) => found === null || found.has(id))
      .map((session) => ({
        ...session,
        isPinned: pinned.has(session.id),
        isAsking: waiting.has(session.id),
        excerpt: found?.get(session.id) ?? "",
      }))
      .sort((one, other) => Number(other.isPinned) - Number(one.isPinned));
  }

  async rename(id: string, title: string): Promise<void> {
    await this.#chat.renameSession(id, title);
    this.#tell({ type: "chats" });
  }

  async pin(id: string, isPinned: boolean): Promise<void> {
    await this.#pins.set(id, isPinned);
    this.#tell({ type: "chats" });
  }

  async pinnedAnswers(): Promise<ChatMessage[]> {
    return await this.#pins.answers();
  }

  async #sessions(): Promise<ChatSession[]> {
    const { aiChatSessions: sessions } = schema;
    return await this.#database.snapshot(
      async (orm) =>
        await orm.select().from(sessions).orderBy(desc(sessions.updatedAt), desc(sql`rowid`)).limit(LISTED),
    );
  }

  async #sessionsOf(requests: readonly string[]): Promise<string[]> {
    const { aiChatMessages: messages } = schema;
    if (requests.length === 0) {
      return [];
    }
    const found = await this.#database.snapshot(
      async (orm) =>
        await orm
          .select({ id: messages.sessionId })
          .from(messages)
          .where(inArray(messages.id, [...requests])),
    );
    return found.map(({ id }) => id);
  }

  /** The conversations in whose title or messages all words are, with the words around the first. */
  async #found(sessions: readonly ChatSession[], sought: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const { aiChatMessages: messages } = schema;
    const said = await this.#database.snapshot(
      async (orm) => await orm.select({ of: messages.sessionId, content: messages.content }).from(messages),
    );
    const texts = new Map(sessions.map(({ id, title }) => [id, [title]]));
    for (const { of, content } of said) {
      texts.get(of)?.push(content);
    }
    const found = new Map<string, string>();
    for (const [id, all] of texts) {
      const each = all.map(foldedText);
      if (sought.every((word) => each.some((text) => text.includes(word)))) {
        found.set(id, excerptOf(all.slice(1), sought[0] ?? ""));
      }
    }
    return found;
  }
}

/** Folding may change a text's length a little, so the place is near enough. */
function excerptOf(texts: readonly string[], word: string): string {
  for (const text of texts) {
    const at = foldedText(text).indexOf(word);
    if (at !== -1) {
      return around(text, at, word.length);
    }
  }
  return "";
}
