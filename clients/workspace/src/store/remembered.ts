/** Keeps what stored answers say was remembered as the user has corrected it, so that nothing forgotten is left there. */
import { type ChatMessage, type Database, schema } from "@adiuva/client/database";
import { eq, inArray, or, sql } from "drizzle-orm";
import type { Outcome } from "../chat/parts";
import { type Edit, edited } from "../chat/remembered";

const { aiChatMessages: messages } = schema;
/** Marks an edit among what is stored with a question. */
const EDIT = "edit";

/** Applies `edit` to what was remembered for each answer that it concerns. Returns whether there are any. */
export async function reviseAnswers(database: Database, edit: Edit): Promise<boolean> {
  const names = namedBy(edit).map((name) => sql`instr(${messages.toolCalls}, ${name}) > 0`);
  return await database.transaction(async (orm) => {
    const told = await orm
      .select()
      .from(messages)
      .where(or(...names));
    for (const { id, toolCalls } of told) {
      const outcomes = (toolCalls as readonly Outcome[]).map((outcome) =>
        outcome.remembered === undefined ? outcome : { ...outcome, remembered: edited(outcome.remembered, edit) },
      );
      await orm.update(messages).set({ toolCalls: outcomes }).where(eq(messages.id, id));
    }
    return told.length > 0;
  });
}

/** What the text of an answer that `edit` concerns contains. */
function namedBy(edit: Edit): string[] {
  if (edit.item === undefined) {
    return ["remembered"];
  }
  return edit.type === "forgotten" && edit.item.said_in ? [edit.item.id, edit.item.said_in] : [edit.item.id];
}

/** Stores `edit` with these questions until they are answered: the server still sends what it remembered before. */
export async function keepEdit(database: Database, ids: readonly string[], edit: Edit): Promise<void> {
  await changeResults(database, ids, (results) => [...results, { type: EDIT, edit }]);
}

/** After the answer was stored, with its edits. */
export async function dropEdits(database: Database, id: string): Promise<void> {
  await changeResults(database, [id], (results) => results.filter(({ type }) => type !== EDIT));
}

/** The edits that are stored with a question. */
export function editsOf({ toolResults }: ChatMessage): Edit[] {
  return ((toolResults ?? []) as Result[]).flatMap(({ edit }) => (edit === undefined ? [] : [edit]));
}

interface Result {
  readonly type: string;
  readonly edit?: Edit;
}

async function changeResults(
  database: Database,
  ids: readonly string[],
  change: (results: readonly Result[]) => readonly Result[],
): Promise<void> {
  await database.transaction(async (orm) => {
    for (const { id, toolResults } of await orm
      .select()
      .from(messages)
      .where(inArray(messages.id, [...ids]))) {
      const changed = change((toolResults ?? []) as Result[]);
      await orm
        .update(messages)
        .set({ toolResults: changed.length === 0 ? null : [...changed] })
        .where(eq(messages.id, id));
    }
  });
}
