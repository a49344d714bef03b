/** Keeps the vectors of notes up to date that the user wrote, not a tool of the server. */
import { desc, eq, inArray, isNull, ne, or, sql } from "drizzle-orm";
import { Backoff, type BackoffLimits } from "../client/backoff.js";
import type { AdiuvaClient, ClientState } from "../client/client.js";
import { bytesOf, EMBED_LIMITS, type EmbedNotes, type NoteText } from "../client/embedding.js";
import { AdiuvaError, ConnectionFailed, RequestRejected } from "../errors.js";
import { type Clock, type Draw, systemClock } from "../ports.js";
import { type OnFault, raiseLater } from "../telling.js";
import type { Orm } from "./database.js";
import * as schema from "./schema.js";
import type { Change, RowOf, Tables } from "./tables.js";
import { dropVector, upsertVector } from "./vectors.js";

/** A user keeps writing, and a tool sends a vector of its own in a moment. */
const PAUSE_MS = 2_000;
/** The longest wait for a user who keeps writing. */
const LONGEST_PAUSE_MS = 20_000;
/** The pause between requests: they count against the user's limit of requests a minute. */
const BETWEEN_MS = 1_000;
const RETRY: BackoffLimits = { firstMs: 2_000, mostMs: 5 * 60_000 };
/** The size of a request without its notes. */
const ENVELOPE_BYTES = 4_096;

const SAYS_SOMETHING = /[\p{L}\p{N}\p{P}\p{S}]/u;

type NoteRow = RowOf["notes"];

/** A note that needs a vector; `text` is the part of `content` that is embedded. */
interface DueNote extends NoteText {
  readonly content: string;
}

/**
 * Makes vectors of notes that have none, or whose text or model has changed since.
 *
 * It does so while the client is online, a pause after a note was changed. Until the new vector is stored, the old one
 * stays. A vector that the server refuses is not requested again until the note changes or `reconsider` is called.
 */
export class NoteVectors {
  readonly #tables: Tables;
  readonly #embed: EmbedNotes;
  readonly #clock: Clock;
  readonly #backoff: Backoff;
  readonly #onFault: OnFault;
  /** Notes whose present text gets no vector. */
  readonly #settled = new Set<string>();
  readonly #stopListening: (() => void)[] = [];
  /** The server's embedding model; undefined without a connection. */
  #model: string | undefined;
  /** Counts the calls of `reconsider`: what was refused before one is requested again. */
  #reconsidered = 0;
  #isBusy = false;
  #isClosed = false;
  #wantedSince: number | undefined;
  #notBefore = 0;
  #stopTimer: () => void = () => undefined;

  constructor(
    tables: Tables,
    {
      embed,
      clock = systemClock,
      draw = Math.random,
      onFault = raiseLater,
    }: { embed: EmbedNotes; clock?: Clock; draw?: Draw; onFault?: OnFault },
  ) {
    this.#tables = tables;
    this.#embed = embed;
    this.#clock = clock;
    this.#backoff = new Backoff(RETRY, draw);
    this.#onFault = onFault;
  }

  /** Starts: missing vectors are made as soon as `client` is online. Call it once. */
  follow(client: Pick<AdiuvaClient, "state" | "onState">): void {
    this.#stopListening.push(
      this.#tables.onChange((change) => this.#changed(change)),
      client.onState((state) => this.#connected(state)),
    );
    this.#connected(client.state);
  }

  /** The user's sharing has changed: requests vectors again that were refused. */
  reconsider(): void {
    this.#reconsidered += 1;
    this.#settled.clear();
    this.#want(0);
  }

  /** Stops. Nothing is written afterwards. */
  close(): void {
    this.#isClosed = true;
    this.#model = undefined;
    this.#stopTimer();
    for (const stop of this.#stopListening.splice(0)) {
      stop();
    }
  }

  #connected(state: ClientState): void {
    if (state.at !== "online") {
      this.#model = undefined;
      this.#stopTimer();
    } else {
      this.#model = state.welcome.embedding.model;
      this.#notBefore = 0;
      this.#backoff.reset();
      this.#want(0);
    }
  }

  #changed({ table, id, action }: Change): void {
    if (table === "notes") {
      this.#settled.delete(id);
      if (action !== "delete") {
        this.#want(PAUSE_MS);
      }
    }
  }

  #want(pauseMs: number): void {
    if (this.#model === undefined) {
      return;
    }
    const now = this.#clock.now();
    this.#wantedSince ??= now;
    const at = Math.max(Math.min(now + pauseMs, this.#wantedSince + LONGEST_PAUSE_MS), this.#notBefore);
    this.#stopTimer();
    this.#stopTimer = this.#clock.after(Math.max(0, at - now), () => void this.#work());
  }

  /** Sends one request, and schedules the next if there is more to do. */
  async #work(): Promise<void> {
    const model = this.#model;
    this.#wantedSince = undefined;
    if (this.#isBusy || model === undefined) {
      this.#want(BETWEEN_MS);
      return;
    }
    this.#isBusy = true;
    try {
      const due = await this.#due(model);
      if (due.length > 0) {
        await this.#make(due, model);
        this.#backoff.reset();
        this.#wait(BETWEEN_MS);
      }
    } catch (error) {
      this.#failed(error);
    } finally {
      this.#isBusy = false;
    }
  }

  #wait(pauseMs: number): void {
    this.#notBefore = this.#clock.now() + pauseMs;
    this.#want(pauseMs);
  }

  #failed(error: unknown): void {
    if (this.#isClosed) {
      return;
    }
    if (!(error instanceof AdiuvaError)) {
      this.#onFault(error);
    }
    this.#wait(this.#backoff.pause(BETWEEN_MS));
  }

  /** The notes whose vector is missing or outdated, as many as fit into one request, the latest first. */
  async #due(model: string): Promise<DueNote[]> {
    const { notes, vectors } = schema;
    const { orm } = this.#tables.database;
    const isDue = or(isNull(vectors.id), ne(vectors.content, notes.content), sql`${vectors.model} IS NOT ${model}`);
    const found = await orm
      .select({ id: notes.id })
      .from(notes)
      .leftJoin(vectors, eq(vectors.id, notes.id))
      .where(isDue)
      .orderBy(desc(notes.updatedAt), notes.id);
    const ids = found.map(({ id }) => id).filter((id) => !this.#settled.has(id));
    for (let start = 0; start < ids.length; start += EMBED_LIMITS.texts) {
      const fitting = await this.#fitting(ids.slice(start, start + EMBED_LIMITS.texts));
      if (fitting.length > 0) {
        return fitting;
      }
    }
    return [];
  }

  /** As many of the notes as fit. An empty note needs no vector, and its old one is deleted. */
  async #fitting(ids: readonly string[]): Promise<DueNote[]> {
    const { notes } = schema;
    const { orm } = this.#tables.database;
    const rows = await orm
      .select({ id: notes.id, projectId: notes.projectId, content: notes.content })
      .from(notes)
      .where(inArray(notes.id, [...ids]));
    const due: DueNote[] = [];
    let bytes = ENVELOPE_BYTES;
    for (const row of rows) {
      const note = { ...row, text: embeddedText(row.content) };
      bytes += bytesOf(note);
      if (!SAYS_SOMETHING.test(note.text)) {
        await this.#drop(row);
      } else if (due.length === 0 || bytes <= EMBED_LIMITS.bytes) {
        due.push(note);
      }
    }
    return due;
  }

  async #make(due: readonly DueNote[], model: string): Promise<void> {
    const asked = this.#reconsidered;
    const made = await this.#embed(due).catch((error: unknown) => {
      if (error instanceof RequestRejected) {
        return null;
      }
      throw error;
    });
    if (made !== null && made.model !== model) {
      // The server was restarted with another model; its next welcome names it.
      throw new ConnectionFailed("The server makes vectors with another model now.");
    }
    for (const [index, note] of due.entries()) {
      const vector = made?.vectors[index] ?? null;
      if (vector !== null) {
        await this.#store(note, vector, model);
      } else if (asked === this.#reconsidered) {
        await this.#refused(note);
      }
    }
  }

  async #store({ id, content }: DueNote, vector: readonly number[], model: string): Promise<void> {
    await this.#ifStill({ id, content }, async (orm, { projectId }) => {
      await upsertVector(orm, { id, projectId, content }, vector, model);
    });
  }

  async #drop(note: Pick<NoteRow, "id" | "content">): Promise<void> {
    await this.#ifStill(note, async (orm) => {
      await dropVector(orm, note.id);
      this.#settled.add(note.id);
    });
  }

  async #refused(note: DueNote): Promise<void> {
    await this.#ifStill(note, async (_orm, { projectId }) => {
      if (projectId === note.projectId) {
        this.#settled.add(note.id);
      }
    });
  }

  /** Writes nothing for a note that has changed meanwhile: its vector is already requested again. */
  async #ifStill(
    { id, content }: Pick<NoteRow, "id" | "content">,
    act: (orm: Orm, row: NoteRow) => Promise<void>,
  ): Promise<void> {
    if (this.#isClosed) {
      return;
    }
    await this.#tables.database.transaction(async (orm) => {
      const [row] = await orm.select().from(schema.notes).where(eq(schema.notes.id, id));
      if (row?.content === content) {
        await act(orm, row);
      }
    });
  }
}

/** The text of a note as tools embed it, cut to the size of a request. */
function embeddedText(content: string): string {
  // A cut may split a surrogate pair.
  const cut = content.slice(0, EMBED_LIMITS.characters).replace(/\p{Surrogate}$/u, "");
  return cut.replaceAll("\0", " ");
}
