/**
 * Search over everything, in memory: all texts are kept folded, so that finding is a scan without the database. It
 * finds what the `search` filter of the tables finds, parts of words too, which an index of words does not.
 */
import { AiChat, type Change, type Tables } from "@adiuva/client/database";
import { placeOf } from "../chat/scopes";
import { around } from "../parts/excerpt";
import { foldedText, wordsOf } from "../parts/folding";
import type { Hit, TableName } from "../rpc/messages";

const EVERYTHING = 100_000;
const TABLES = ["tasks", "notes", "projects", "checkpoints", "taskComments"] as const;
const CHANNELS = ["home", "contextual"] as const;

type Row = Readonly<Record<string, unknown>>;

interface Indexed {
  readonly hit: Omit<Hit, "excerpt">;
  readonly title: string;
  readonly text: string;
  /** As it was written, for excerpts. */
  readonly written: string;
  readonly at: number;
}

export class SearchIndex {
  readonly #tables: Tables;
  readonly #chats: AiChat;
  #entries: Promise<Map<string, Indexed>> | undefined;
  readonly #stale = new Map<string, Change>();

  constructor(tables: Tables) {
    this.#tables = tables;
    this.#chats = new AiChat(tables.database);
    tables.onChange((change) => this.#entries !== undefined && this.#stale.set(change.id, change));
  }

  /** Reads everything again when it is needed next. */
  clear(): void {
    this.#entries = undefined;
    this.#stale.clear();
  }

  /** The best first: words in the title, at its start, at the start of words; then the latest. */
  async find(text: string, limit: number): Promise<readonly Hit[]> {
    const words = wordsOf(text);
    const [entries, chats] = await Promise.all([this.#current(), this.#sessions()]);
    const found: { entry: Indexed; score: number }[] = [];
    for (const entry of [...entries.values(), ...chats]) {
      const score = scoreOf(entry, words);
      if (score > 0) {
        found.push({ entry, score });
      }
    }
    found.sort((one, other) => other.score - one.score || other.entry.at - one.entry.at);
    return found.slice(0, limit).map(({ entry }) => ({ ...entry.hit, excerpt: excerptOf(entry, words) }));
  }

  async #current(): Promise<Map<string, Indexed>> {
    this.#entries ??= this.#read();
    const entries = await this.#entries;
    const stale = [...this.#stale.values()];
    this.#stale.clear();
    for (const { table, id } of stale) {
      const row = isSearched(table) ? await this.#tables.get(table, id) : null;
      if (row === null) {
        entries.delete(id);
      } else {
        entries.set(id, indexed(table, row as unknown as Row));
      }
    }
    return entries;
  }

  async #read(): Promise<Map<string, Indexed>> {
    const entries = new Map<string, Indexed>();
    for (const table of TABLES) {
      const filters = table === "projects" ? { includeArchived: true } : {};
      for (const row of await this.#tables.select(table, filters, EVERYTHING)) {
        entries.set(row.id, indexed(table, row as unknown as Row));
      }
    }
    return entries;
  }

  async #sessions(): Promise<Indexed[]> {
    const lists = await Promise.all(CHANNELS.map((channel) => this.#chats.listSessions(channel)));
    return lists.flat().map((chat) => ({
      hit: { table: "chats", id: chat.id, title: chat.title, place: placeOf(chat), isDone: false },
      title: foldedText(chat.title),
      text: "",
      written: "",
      at: chat.updatedAt,
    }));
  }
}

function isSearched(table: TableName): table is (typeof TABLES)[number] {
  return (TABLES as readonly string[]).includes(table);
}

const PLACES: Partial<Record<TableName, string>> = {
  tasks: "/tasks/",
  notes: "/notes/",
  projects: "/projects/",
  checkpoints: "/timeline/",
  taskComments: "/tasks/",
};

function indexed(table: TableName, row: Row): Indexed {
  const isComment = table === "taskComments";
  const title = String(row.title ?? row.name ?? row.content ?? "");
  const written = isComment ? "" : String(row.content ?? row.description ?? row.aiSummary ?? "");
  const place = `${PLACES[table]}${String(isComment ? row.taskId : row.id)}`;
  return {
    hit: { table, id: String(row.id), title, place, isDone: row.status === "done" || row.status === "archived" },
    title: foldedText(title),
    text: foldedText(written),
    written,
    at: Number(row.updatedAt ?? row.createdAt),
  };
}

const DONE_COUNTS = 0.5;

function scoreOf({ title, text, hit }: Indexed, words: readonly string[]): number {
  let score = 0;
  for (const word of words) {
    const at = title.indexOf(word);
    if (at === 0) {
      score += 4;
    } else if (at > 0) {
      score += /[\p{L}\p{N}]/u.test(title[at - 1] as string) ? 2 : 3;
    } else if (text.includes(word)) {
      score += 1;
    } else {
      return 0;
    }
  }
  return hit.isDone ? score * DONE_COUNTS : score;
}

function excerptOf({ title, text, written }: Indexed, words: readonly string[]): string {
  const word = words.find((each) => !title.includes(each));
  if (word === undefined) {
    return "";
  }
  // Folding may change the length of a text, hardly ever by much.
  return around(written, text.indexOf(word), word.length);
}
