/** Undoing: what entries of the journal changed is put back, the newest first. */
import { and, desc, eq, gte, isNotNull, isNull, lt, ne, type SQL, sql } from "drizzle-orm";
import { alias, QueryBuilder } from "drizzle-orm/sqlite-core";
import { CallRefused } from "../errors.js";
import { type Given, type Row, shown, validText } from "../executor/values.js";
import type { UndoneRow, UndoResult } from "../protocol/frames.js";
import type { Orm } from "./database.js";
import { type Draft, entriesWhere } from "./journal.js";
import { type Entry, entryOf, type RowChange, USER } from "./journal_entries.js";
import type { Rows } from "./rows.js";
import { journal } from "./schema.js";
import { keepReferences, planned } from "./undo_plans.js";

/** Hears how many of all steps are done. */
export type OnProgress = (done: number, total: number) => void;

const FORMS = '{"call": …}, {"request": …}, {"by": …}, {"by": …, "since": …}, {"by": …, "day": …} or {"day": …}';

/** The entries that `what` of a call names, as a condition. Throws `CallRefused` for anything else. */
export function whichOf(what: Given): SQL | undefined {
  switch (Object.keys(what).sort().join()) {
    case "call":
      return eq(journal.id, validText(what.call, "what.call"));
    case "request":
      return eq(journal.requestId, validText(what.request, "what.request"));
    case "by":
      return ofLatestRequest(validText(what.by, "what.by"));
    case "by,since":
      return and(eq(journal.actor, validText(what.by, "what.by")), gte(journal.at, timeOf(what.since)));
    case "by,day":
      return and(eq(journal.actor, validText(what.by, "what.by")), ofDay(what.day));
    case "day":
      return and(ne(journal.actor, USER), ofDay(what.day));
    default:
      throw new CallRefused(`what must be one of ${FORMS}, not ${shown(what)}.`);
  }
}

function ofLatestRequest(by: string): SQL {
  const latest = alias(journal, "latest");
  const query = new QueryBuilder()
    .select({ requestId: latest.requestId })
    .from(latest)
    .where(
      and(
        eq(latest.actor, by),
        isNotNull(latest.requestId),
        isNull(latest.undoneBy),
        isNull(latest.undoes),
        ne(latest.changes, "[]"),
      ),
    )
    .orderBy(desc(latest.number))
    .limit(1);
  return eq(journal.requestId, sql`(${query})`);
}

/** The entries of a day, such as 2026-11-24, of this device's calendar. Throws `CallRefused` for anything else. */
export function ofDay(day: unknown): SQL | undefined {
  const text = validText(day, "what.day");
  const [year = 0, month = 0, date = 0] = /^\d{4}-\d{2}-\d{2}$/.test(text) ? text.split("-").map(Number) : [];
  const start = new Date(year, month - 1, date);
  if (start.getMonth() !== month - 1 || start.getDate() !== date) {
    throw new CallRefused(`what.day must be a day such as 2026-11-24, not ${shown(day)}.`);
  }
  const end = new Date(year, month - 1, date + 1);
  return and(gte(journal.at, start.getTime()), lt(journal.at, end.getTime()));
}

/**
 * Undoes the entries that match `where`, in the transaction of `orm`; `draft` is the entry of the undo itself.
 *
 * A row that is not as its change left it is a conflict and stays as it is, and so are both rows where one would point
 * to one that is not there. With a conflict nothing is undone, unless `isPartial`. An entry that is undone already is
 * left out, unless the one that undoes it is undone along with it.
 */
export async function undo(
  orm: Orm,
  rows: Rows,
  draft: Draft,
  { where, isPartial, onProgress }: { where: SQL | undefined; isPartial: boolean; onProgress?: OnProgress | undefined },
): Promise<UndoResult> {
  const entries = inEffect(await entriesWhere(orm, where));
  // Each change is read and written.
  const steps = 2 * entries.reduce((sum, { changes }) => sum + changes.length, 0);
  const plans = await planned(rows, entries, (done) => onProgress?.(done, steps));
  await keepReferences(orm, rows, plans);
  const stuck = [...plans.values()].filter(({ isInConflict }) => isInConflict);
  const conflicts = stuck.map(({ table, id, now, state }) => ({ table, id, now, would_be: state }));
  if (stuck.length > 0 && !isPartial) {
    return { undone: [], conflicts };
  }
  const undone: UndoneRow[] = [];
  // In the order of the changes: rows that were deleted together come back in the same order.
  for (const { table, id, now, state, vector, isInConflict } of [...plans.values()].reverse()) {
    if (!isInConflict) {
      await rows.put(table, id, state, vector);
      undone.push({ table, id, effect: effectOf(now, state), before: now, after: state });
      onProgress?.(steps / 2 + undone.length, steps);
    }
  }
  const isStuck = ({ table, id }: RowChange) => stuck.some((plan) => plan.table === table && plan.id === id);
  draft.undoes = entries.filter(({ changes }) => !changes.some(isStuck)).map(({ id }) => id);
  await mark(orm, draft.id, draft.undoes);
  return { undone: undone.reverse(), conflicts };
}

function inEffect(entries: readonly Entry[]): Entry[] {
  const chosen = new Map<string, Entry>();
  for (const entry of entries) {
    if (entry.undoneBy === null || chosen.has(entry.undoneBy)) {
      chosen.set(entry.id, entry);
    }
  }
  return [...chosen.values()];
}

function effectOf(before: Row | null, after: Row | null): UndoneRow["effect"] {
  return before === null ? "restored" : after === null ? "removed" : "reverted";
}

/** Notes that `undoId` undoes the entries `undone`. What these undid themselves is in effect again. */
async function mark(orm: Orm, undoId: string, undone: readonly string[]): Promise<void> {
  for (const id of undone) {
    await orm.update(journal).set({ undoneBy: undoId }).where(eq(journal.id, id));
  }
  for (const id of undone) {
    const again = await orm.update(journal).set({ undoneBy: null }).where(eq(journal.undoneBy, id)).returning();
    for (const entry of again.map(entryOf)) {
      await mark(orm, entry.id, entry.undoes);
    }
  }
}

function timeOf(value: unknown): number {
  if (typeof value !== "number" || !Number.isSafeInteger(value)) {
    throw new CallRefused(`what.since must be a whole number of milliseconds, not ${shown(value)}.`);
  }
  return value;
}
