/** Keeps what stored answers say was remembered as the user has corrected it, so that nothing forgotten is left there. */
import type { MemoryName } from "@adiuva/client";
import { type Database, schema } from "@adiuva/client/database";
import { eq, sql } from "drizzle-orm";
import type { Outcome } from "../chat/parts";
import { revised } from "../chat/remembered";

/** `text` is null for what was forgotten. Returns whether any answer was told of it. */
export async function reviseAnswers(database: Database, item: MemoryName, text: string | null): Promise<boolean> {
  const { aiChatMessages: messages } = schema;
  return await database.transaction(async (orm) => {
    const told = await orm.select().from(messages).where(sql`instr(${messages.toolCalls}, ${item.id}) > 0`);
    for (const { id, toolCalls } of told) {
      const outcomes = (toolCalls as readonly Outcome[]).map((outcome) =>
        outcome.remembered === undefined
          ? outcome
          : { ...outcome, remembered: revised(outcome.remembered, item, text) },
      );
      await orm.update(messages).set({ toolCalls: outcomes }).where(eq(messages.id, id));
    }
    return told.length > 0;
  });
}
