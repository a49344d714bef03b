/** The calls that were applied, so that a call which comes twice happens once. */
import { eq, lt } from "drizzle-orm";
import { CallRefused } from "../errors.js";
import type { Answer } from "../executor/executor.js";
import type { Orm } from "./database.js";
import { ledger } from "./schema.js";

/** A server repeats a call within a day. Results hold the user's words, so none is kept for good. */
export const KEPT_MS = 7 * 24 * 3600 * 1000;

/**
 * What `apply` gives, or gave when this call came before. `orm` is an open transaction: the entry and the change are
 * kept together or not at all. Throws `CallRefused` when the id is known with other arguments.
 */
export async function once(
  orm: Orm,
  call: { id: string; fingerprint: string },
  { now, apply }: { now: number; apply: () => Promise<Answer> },
): Promise<{ answer: Answer; isNew: boolean }> {
  const [known] = await orm.select().from(ledger).where(eq(ledger.id, call.id));
  if (known === undefined) {
    const answer = await apply();
    const entry = { id: call.id, hash: call.fingerprint, result: JSON.stringify(answer), appliedAt: now };
    await orm.insert(ledger).values(entry);
    return { answer, isNew: true };
  }
  if (known.hash !== call.fingerprint) {
    throw new CallRefused("This call id was used before, with other arguments.");
  }
  return { answer: JSON.parse(known.result) as Answer, isNew: false };
}

/** Drop the entries that no server asks for any more. */
export async function forgetOld(orm: Orm, now: number): Promise<void> {
  await orm.delete(ledger).where(lt(ledger.appliedAt, now - KEPT_MS));
}

/** Forget what was answered, which holds the user's words; a call that comes again still happens no second time. */
export async function forgetResults(orm: Orm): Promise<void> {
  const answer: Answer = { error: "It was done, and the user has deleted all data on this device since." };
  await orm.update(ledger).set({ result: JSON.stringify(answer) });
}
