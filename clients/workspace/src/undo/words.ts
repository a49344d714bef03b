/** Entries of the journal in words for the user. */

import type { Entry, RowChange } from "@adiuva/client/database";
import { numberShown, uncapitalized } from "../i18n/formats";
import { msg, t } from "../i18n/translate";
import type { TableName } from "../rpc/messages";

type Row = Readonly<Record<string, unknown>> | null;

const ROWS: Readonly<Record<TableName, readonly [named: string, unnamed: string]>> = {
  tasks: [msg("the task “{name}”"), msg("a task")],
  projects: [msg("the project “{name}”"), msg("a project")],
  checkpoints: [msg("the checkpoint “{name}”"), msg("a checkpoint")],
  notes: [msg("the note “{name}”"), msg("a note")],
  taskComments: [msg("the comment “{name}”"), msg("a comment")],
  clients: [msg("the client “{name}”"), msg("a client")],
};

/** `the task “Roof”`. */
export function rowNamed(table: TableName, row: Row): string {
  const [named, unnamed] = ROWS[table];
  const name = row?.title ?? row?.name ?? row?.content;
  return typeof name === "string" && name !== "" ? t(named, { name: cut(name) }) : t(unnamed);
}

/** How many changes of one entry are named. */
const NAMED = 5;

/** What an entry did: `Added the task “Roof”, the note “Tiles”, changed the task “Wall”`. */
export function sentenceOf({ changes }: Entry): string {
  if (changes.length === 0) {
    return t("Nothing was left to undo");
  }
  const done: { readonly verb: string; readonly rows: string[] }[] = [];
  for (const change of changes.slice(0, NAMED)) {
    const [verb, row] = [verbOf(change), rowNamed(change.table, change.after ?? change.before)];
    const last = done.at(-1);
    if (last?.verb === verb) {
      last.rows.push(row);
    } else {
      done.push({ verb, rows: [row] });
    }
  }
  const parts = done.map(({ verb, rows }) => t(verb, { rows: rows.join(", ") }));
  const sentence = parts.map((part, index) => (index === 0 ? part : uncapitalized(part))).join(", ");
  const count = changes.length - NAMED;
  return count > 0 ? t("{sentence}, and {count} more", { sentence, count: numberShown(count) }) : sentence;
}

/** Who made a change, in the user's words. */
export function actorShown(by: string): string {
  if (by === "user") {
    return t("You");
  }
  return isProgram(by) ? t("A program ({name})", { name: by }) : t("The assistant");
}

/** Whether a change was made over MCP. */
export function isProgram(by: string): boolean {
  return by.startsWith("mcp");
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

/** The beginning of a long name, as part of a sentence. */
export function cut(name: string): string {
  // Not by code units: a half of an emoji is none.
  const letters = Array.from(name);
  return letters.length <= LONGEST ? name : `${letters.slice(0, LONGEST).join("")}…`;
}

function verbOf({ before, after }: RowChange): string {
  if (before === null) {
    return msg("Added {rows}");
  }
  return after === null ? msg("Deleted {rows}") : msg("Changed {rows}");
}
