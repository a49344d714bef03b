/** Keeps what stored answers say was remembered as the user has corrected it, so that nothing forgotten is left there. */
import { type Database, schema } from "@adiuva/client/database";
import { eq, or, sql } from "drizzle-orm";
import type { Outcome } from "../chat/parts";
import type { Remembered } from "../chat/remembered";

/**
 * Applies `edit` to what was remembered for each answer that names one of these ids, or with null for all answers.
 * Returns whether there are any.
 */
export async function reviseAnswers(
  database: Database,
  ids: readonly string[] | null,
  edit: (items: readonly Remembered[]) => readonly Remembered[],
): Promise<boolean> {
  const { aiChatMessages: messages } = schema;
  const names = (ids ?? ["remembered"]).map((name) => sql`instr(${messages.toolCalls}, ${name}) > 0`);
  return await database.transaction(async (orm) => {
    const told = await orm
      .select()
      .from(messages)
      .where(or(...names));
    for (const { id, toolCalls } of told) {
      const outcomes = (toolCalls as readonly Outcome[]).map((outcome) =>
        outcome.remembered === undefined ? outcome : { ...outcome, remembered: edit(outcome.remembered) },
      );
      await orm.update(messages).set({ toolCalls: outcomes }).where(eq(messages.id, id));
    }
    return told.length > 0;
  });
}
