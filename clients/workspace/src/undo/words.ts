/** Entries of the journal in words for the user. Pure. */
import type { Entry, RowChange } from "@adiuva/client/database";
import { nounOf } from "../parts/words";
import type { TableName } from "../rpc/messages";

type Row = Readonly<Record<string, unknown>> | null;

/** `the task “Roof”`. */
export function rowNamed(table: TableName, row: Row): string {
  const name = row?.title ?? row?.name ?? row?.content;
  return typeof name === "string" && name !== "" ? `the ${nounOf(table)} “${cut(name)}”` : `a ${nounOf(table)}`;
}

/** How many changes of one entry are named. */
const NAMED = 5;

/** What an entry did: `Added the task “Roof”, the note “Tiles”, changed the task “Wall”`. */
export function sentenceOf({ changes }: Entry): string {
  const done = changes.slice(0, NAMED).map((change, index) => {
    const [verb, row] = [verbOf(change), rowNamed(change.table, change.after ?? change.before)];
    const before = changes[index - 1];
    if (before === undefined) {
      return `${verb} ${row}`;
    }
    return verbOf(before) === verb ? row : `${verb.toLowerCase()} ${row}`;
  });
  const more = changes.length > NAMED ? [`and ${changes.length - NAMED} more`] : [];
  return done.length === 0 ? "Nothing was left to undo" : [...done, ...more].join(", ");
}

/** Who made a change, in the user's words. */
export function actorShown(by: string): string {
  if (by === "user") {
    return "You";
  }
  return by.startsWith("mcp") ? `A program (${by})` : "The assistant";
}

/** Whether a group of entries can be undone, is undone, or is not kept any more. */
export function stateOf(entries: readonly Entry[]): "done" | "undone" | "none" {
  const changing = entries.filter(({ changes }) => changes.length > 0);
  if (changing.length === 0) {
    return "none";
  }
  return changing.some(({ undoneBy }) => undoneBy === null) ? "done" : "undone";
}

/** The ids of the undos that are to be undone to do `entries` again. */
export function undosOf(entries: readonly Entry[]): string[] {
  return [...new Set(entries.flatMap(({ undoneBy }) => undoneBy ?? []))];
}

const LONGEST = 60;

function cut(name: string): string {
  return name.length <= LONGEST ? name : `${name.slice(0, LONGEST)}…`;
}

function verbOf({ before, after }: RowChange): string {
  if (before === null) {
    return "Added";
  }
  return after === null ? "Deleted" : "Changed";
}
