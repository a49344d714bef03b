/** What the journal holds: entries, the changes of rows in them, and their text. Pure. */
import type { TableName } from "../executor/columns.js";
import type { Row } from "../executor/values.js";
import type { journal } from "./schema.js";

/** Who makes the changes by hand. */
export const USER = "user";

/** The vector of a note, the text that it was made from, the note's project, and if known the model. */
export interface StoredVector {
  readonly projectId: string | null;
  readonly content: string;
  readonly vector: Uint8Array;
  readonly model: string | null;
}

/**
 * A row before and after a change; null where there is none.
 *
 * `vector` is the one that a note had before its text changed or went.
 */
export interface RowChange {
  readonly table: TableName;
  readonly id: string;
  readonly before: Row | null;
  readonly after: Row | null;
  readonly vector?: StoredVector;
}

/** What was changed at once: by a call of the server, or by hand. */
export interface Entry {
  readonly id: string;
  readonly requestId: string | null;
  /** The agent, tool or program that made it, or `user`. */
  readonly by: string;
  readonly at: number;
  readonly changes: readonly RowChange[];
  /** The ids of the entries that this one undoes. */
  readonly undoes: readonly string[];
  /** The id of the entry that undoes this one. */
  readonly undoneBy: string | null;
}

/** Whether a note's text changes, comes or goes, so that its vector does, too. */
export function isAboutText({ table, before, after }: Omit<RowChange, "vector">): boolean {
  return table === "notes" && before?.content !== after?.content;
}

/** Whether two states of a row are the same, column by column. */
export function isSame(one: Row | null, other: Row | null): boolean {
  if (one === null || other === null) {
    return one === other;
  }
  return Object.keys({ ...one, ...other }).every((name) => one[name] === other[name]);
}

export function entryOf(stored: typeof journal.$inferSelect): Entry {
  const { id, requestId, actor, at, changes, undoes, undoneBy } = stored;
  return {
    id,
    requestId,
    by: actor,
    at,
    changes: changes === null ? [] : readChanges(changes),
    undoes: undoes === null ? [] : (JSON.parse(undoes) as string[]),
    undoneBy,
  };
}

/** `changes` as JSON, as the terminal device writes them, too. */
export function writtenChanges(changes: readonly RowChange[]): string {
  return JSON.stringify(
    changes.map(({ vector, ...change }) =>
      vector === undefined ? change : { ...change, vector: { ...vector, vector: base64Of(vector.vector) } },
    ),
  );
}

function readChanges(text: string): RowChange[] {
  type Written = RowChange & { readonly vector?: Omit<StoredVector, "vector"> & { readonly vector: string } };
  return (JSON.parse(text) as Written[]).map(({ vector, ...change }) =>
    vector === undefined ? change : { ...change, vector: { ...vector, vector: bytesOf(vector.vector) } },
  );
}

function base64Of(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
