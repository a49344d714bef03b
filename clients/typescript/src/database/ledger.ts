/** The calls that were applied, so that a repeated call is applied only once. */
import { eq, lt } from "drizzle-orm";
import { CallRefused } from "../errors.js";
import type { Answer } from "../executor/executor.js";
import type { Orm } from "./database.js";
import { ledger } from "./schema.js";

/** A server repeats a call within a day. Results contain user text, so they are deleted later. */
export const KEPT_MS = 7 * 24 * 3600 * 1000;

/**
 * The result of `apply`, now or when this call came before. `orm` is an open transaction: the entry and the change are
 * committed together or not at all. Throws `CallRefused` if the id is known with other arguments.
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

/** Deletes entries that are too old to be asked for. */
export async function forgetOld(orm: Orm, now: number): Promise<void> {
  await orm.delete(ledger).where(lt(ledger.appliedAt, now - KEPT_MS));
}

/** Deletes the results, which contain user text; a repeated call is still not applied twice. */
export async function forgetResults(orm: Orm): Promise<void> {
  const answer: Answer = { error: "It was done, and the user has deleted all data on this device since." };
  await orm.update(ledger).set({ result: JSON.stringify(answer) });
}
