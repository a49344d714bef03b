/**
 * The journal: what was changed in the tables, by whom, and how the rows were before.
 *
 * An entry is written in the transaction of its changes. It says that a call was applied, so that a repeated call is
 * applied only once, and how to undo it (`undoing.ts`). What is over is removed beside the writes (`Tables.prune`).
 */
import { and, desc, eq, gt, inArray, isNotNull, isNull, lt, ne, type SQL, sql } from "drizzle-orm";
import { CallRefused } from "../errors.js";
import type { ReadCall } from "../executor/calls.js";
import type { Answer } from "../executor/executor.js";
import type { Clock } from "../ports.js";
import type { Orm } from "./database.js";
import { type Entry, entryOf, isAboutText, isSame, type RowChange, USER, writtenChanges } from "./journal_entries.js";
import { journal } from "./schema.js";

/** How long an entry is kept: it contains user text, so not for good; a server repeats a call within a day. */
export const KEPT_MS = 30 * 24 * 3600 * 1000;
/** How much all entries may hold. Beyond that the oldest lose their changes, but a call stays known. */
export const KEPT_BYTES = 50 * 1024 * 1024;
/** How many entries are removed in one transaction, so that no call waits long for it. */
const SLICE = 200;

/** An entry while its changes are made. */
export class Draft {
  readonly id: string;
  readonly by: string;
  readonly requestId: string | null;
  readonly hash: string | null;
  readonly changes: RowChange[] = [];
  undoes: readonly string[] = [];
  answer: Answer | null = null;

  constructor(id: string, call?: Pick<ReadCall, "by" | "requestId" | "fingerprint">) {
    this.id = id;
    this.by = call?.by ?? USER;
    this.requestId = call?.requestId ?? null;
    this.hash = call?.fingerprint ?? null;
  }

  /** Adds `change`, if it is one; a vector belongs to it only if the text of its note changes. */
  note({ vector, ...change }: RowChange): void {
    if (!isSame(change.before, change.after)) {
      this.changes.push(vector !== undefined && isAboutText(change) ? { ...change, vector } : change);
    }
  }
}

/** The methods run in an open transaction, `orm`. */
export class Journal {
  readonly #clock: Pick<Clock, "now">;
  readonly #keptBytes: number;

  constructor(clock: Pick<Clock, "now">, { keptBytes = KEPT_BYTES }: { keptBytes?: number } = {}) {
    this.#clock = clock;
    this.#keptBytes = keptBytes;
  }

  /** The result of `apply`, now or when this call came before. Throws `CallRefused` if the id has other arguments. */
  async once(
    orm: Orm,
    call: ReadCall,
    apply: (draft: Draft) => Promise<Answer>,
  ): Promise<{ answer: Answer; changes: readonly RowChange[] }> {
    const [known] = await orm
      .select({ hash: journal.hash, result: journal.result })
      .from(journal)
      .where(eq(journal.id, call.id));
    if (known === undefined) {
      const draft = new Draft(call.id, call);
      draft.answer = await apply(draft);
      await this.write(orm, draft);
      return { answer: draft.answer, changes: draft.changes };
    }
    if (known.hash !== call.fingerprint) {
      throw new CallRefused("This call id was used before, with other arguments.");
    }
    return { answer: known.result === null ? FORGOTTEN : (JSON.parse(known.result) as Answer), changes: [] };
  }

  /** Writes an entry, unless it is one by the user that changes nothing. */
  async write(orm: Orm, draft: Draft): Promise<void> {
    if (draft.hash === null && draft.changes.length === 0 && draft.undoes.length === 0) {
      return;
    }
    const changes = writtenChanges(draft.changes);
    const result = draft.answer === null ? null : JSON.stringify(draft.answer);
    await orm.insert(journal).values({
      id: draft.id,
      hash: draft.hash,
      result,
      requestId: draft.requestId,
      actor: draft.by,
      at: this.#clock.now(),
      changes,
      undoes: draft.undoes.length === 0 ? null : JSON.stringify(draft.undoes),
      bytes: sizeOf(changes) + sizeOf(result ?? ""),
    });
  }

  /** Deletes everything that contains user text; a repeated call is still not applied twice. */
  async forget(orm: Orm): Promise<void> {
    const answer: Answer = { error: "It was done, and the user has deleted all data on this device since." };
    await orm.delete(journal).where(isNull(journal.hash));
    await orm.update(journal).set({ result: JSON.stringify(answer), changes: null, bytes: 0 });
  }

  /** Whether there is anything for `prune`. */
  async isExcessive(orm: Orm): Promise<boolean> {
    const [first] = await orm.select({ at: journal.at }).from(journal).orderBy(journal.at).limit(1);
    return first !== undefined && (first.at < this.#keptFrom() || (await this.#excess(orm)) > 0);
  }

  /** Removes a slice of what is not kept any longer, the oldest first. */
  async prune(orm: Orm): Promise<void> {
    const over = orm
      .select({ number: journal.number })
      .from(journal)
      .where(lt(journal.at, this.#keptFrom()))
      .orderBy(journal.at)
      .limit(SLICE);
    const expired = await orm
      .delete(journal)
      .where(inArray(journal.number, over))
      .returning({ number: journal.number });
    if (expired.length === 0) {
      await this.#shrink(orm);
    }
  }

  #keptFrom(): number {
    return this.#clock.now() - KEPT_MS;
  }

  /** How much more than it may the journal holds. */
  async #excess(orm: Orm): Promise<number> {
    const [held] = await orm.select({ bytes: sql<number>`coalesce(sum(${journal.bytes}), 0)` }).from(journal);
    return Number(held?.bytes) - this.#keptBytes;
  }

  /** Has a slice of the oldest entries lose their changes, if all hold too much. */
  async #shrink(orm: Orm): Promise<void> {
    let excess = await this.#excess(orm);
    if (excess <= 0) {
      return;
    }
    const oldest = await orm
      .select({ number: journal.number, bytes: journal.bytes })
      .from(journal)
      .where(gt(journal.bytes, 0))
      .orderBy(journal.at, journal.number)
      .limit(SLICE);
    const forgotten: number[] = [];
    for (const { number, bytes } of oldest) {
      if (excess > 0) {
        forgotten.push(number);
        excess -= bytes;
      }
    }
    await orm.update(journal).set({ changes: null, result: null, bytes: 0 }).where(inArray(journal.number, forgotten));
  }
}

const FORGOTTEN: Answer = { error: "It was done, and what came of it is not kept any more." };

/** A change that is neither undone nor an undo. */
export const IS_IN_EFFECT = and(isNull(journal.undoneBy), isNull(journal.undoes), ne(journal.changes, "[]"));

/** An entry that changes a row with this id. What only refers to that row does not count. */
export function changesRow(id: string): SQL {
  return sql`instr(${journal.changes}, ${`"id":${JSON.stringify(id)}`}) > 0`;
}

/** The entries with changes that match `where`, the newest first; `limit` of them. */
export async function entriesWhere(orm: Orm, where: SQL | undefined, limit = -1): Promise<Entry[]> {
  const found = await orm
    .select()
    .from(journal)
    .where(and(isNotNull(journal.changes), where))
    .orderBy(desc(journal.number))
    .limit(limit);
  return found.map(entryOf);
}

const encoder = new TextEncoder();

function sizeOf(text: string): number {
  return encoder.encode(text).length;
}
