/** A simple model of the journal: a list of entries, and what an undo makes of the rows. Pure. */

export type Fields = Readonly<Record<string, unknown>>;

/** A row; of a note, with its vector. */
export interface Held {
  readonly row: Fields;
  readonly vector: Fields | null;
}

/** The rows by table and id. */
export type State = ReadonlyMap<string, Held>;

/** Each row before and after; undefined where there is none. */
export type Changes = ReadonlyMap<string, readonly [Held | undefined, Held | undefined]>;

export interface Logged {
  readonly call: string;
  readonly by: string;
  readonly request: string | null;
  readonly changes: Changes;
  readonly undoes: readonly string[];
}

/** The rows after an undo, those in conflict, and the entries that are undone. */
export interface Expected {
  readonly after: State;
  readonly conflicts: readonly string[];
  readonly undoes: readonly string[];
}

export class JournalModel {
  /** The oldest first. */
  readonly entries: Logged[] = [];
  readonly #undoneBy = new Map<string, string>();

  /** Adds an entry; what it undoes is undone, and what that had undone is in effect again. */
  add(entry: Logged): void {
    if (entry.changes.size > 0 || entry.undoes.length > 0) {
      this.entries.push(entry);
      this.#mark(entry);
    }
  }

  #mark(undo: Logged): void {
    for (const id of undo.undoes) {
      this.#undoneBy.set(id, undo.call);
    }
    for (const id of undo.undoes) {
      for (const entry of this.entries.filter(({ call }) => this.#undoneBy.get(call) === id)) {
        this.#undoneBy.delete(entry.call);
        this.#mark(entry);
      }
    }
  }

  undone([name, value]: readonly ["call" | "request" | "by", string], now: State, isPartial: boolean): Expected {
    const chosen = this.#chosen(name, value);
    const after = new Map<string, Held | undefined>(now);
    const changedSince = new Set<string>();
    for (const { changes } of chosen) {
      for (const [key, [before, left]] of changes) {
        if (!isSameRow(after.get(key), left) && !isSameRow(after.get(key), before)) {
          changedSince.add(key);
        }
        after.set(key, putBack(before, left, after.get(key)));
      }
    }
    for (const [key, held] of after) {
      // What is as it would be is no conflict, and keeps the vector that it has.
      after.set(key, isSameRow(held, now.get(key)) ? now.get(key) : withVectorOf(held, now.get(key)));
    }
    const conflicts = [...changedSince].filter((key) => !isSame(after.get(key), now.get(key)));
    for (let loose = this.#loose(after, now, conflicts); loose.length > 0; loose = this.#loose(after, now, conflicts)) {
      conflicts.push(...loose);
    }
    if (conflicts.length > 0 && !isPartial) {
      return { after: now, conflicts, undoes: [] };
    }
    for (const key of conflicts) {
      after.set(key, now.get(key));
    }
    const undoes = chosen.filter(({ changes }) => !conflicts.some((key) => changes.has(key)));
    return { after: withoutNone(after), conflicts, undoes: undoes.map(({ call }) => call) };
  }

  /** The rows not yet in `conflicts` that would point to one that is not there, as they do not now, and those. */
  #loose(after: ReadonlyMap<string, Held | undefined>, now: State, conflicts: readonly string[]): string[] {
    const known = new Set([...now.keys(), ...this.entries.flatMap(({ changes }) => [...changes.keys()])]);
    const outcome = (key: string) => (conflicts.includes(key) ? now : after).get(key);
    const loose = new Set<string>();
    for (const key of new Set([...after.keys(), ...conflicts])) {
      const target = targetOf(key, outcome(key));
      const isMissing = target !== null && known.has(target) && outcome(target) === undefined;
      if (isMissing && (now.has(target) || targetOf(key, now.get(key)) !== target)) {
        loose.add(key).add(target);
      }
    }
    return [...loose].filter((key) => !conflicts.includes(key));
  }

  #chosen(name: "call" | "request" | "by", value: string): Logged[] {
    const chosen: Logged[] = [];
    for (const entry of [...this.entries].reverse().filter((each) => each[name] === value)) {
      const undoneBy = this.#undoneBy.get(entry.call);
      if (undoneBy === undefined || chosen.some(({ call }) => call === undoneBy)) {
        chosen.push(entry);
      }
    }
    return chosen;
  }
}

export function changesBetween(before: State, after: State): Changes {
  const keys = new Set([...before.keys(), ...after.keys()]);
  const changed = [...keys].filter((key) => !isSameRow(before.get(key), after.get(key)));
  return new Map(changed.map((key) => [key, [before.get(key), after.get(key)] as const]));
}

/** `before`; a note whose text the change did not touch keeps the vector of its text. */
function putBack(before: Held | undefined, left: Held | undefined, current: Held | undefined): Held | undefined {
  if (before === undefined || before.row.content !== left?.row.content) {
    return before;
  }
  return { row: before.row, vector: current?.vector ?? null };
}

/** `held`; a note with the text that it has now has the same vector, in the project of the note. */
function withVectorOf(held: Held | undefined, now: Held | undefined): Held | undefined {
  const isSameText = held !== undefined && now !== undefined && held.row.content === now.row.content;
  if (!isSameText || now.vector === null) {
    return held;
  }
  const moved = held.row.projectId !== now.row.projectId;
  return { row: held.row, vector: moved ? { ...now.vector, projectId: held.row.projectId } : now.vector };
}

function withoutNone(rows: ReadonlyMap<string, Held | undefined>): State {
  return new Map([...rows].flatMap(([key, held]) => (held === undefined ? [] : [[key, held] as const])));
}

/** The row that a row points to. */
function targetOf(key: string, held: Held | undefined): string | null {
  if (key.startsWith("taskComments ")) {
    return held === undefined ? null : `tasks ${held.row.taskId}`;
  }
  return typeof held?.row.projectId === "string" ? `projects ${held.row.projectId}` : null;
}

function isSameRow(one: Held | undefined, other: Held | undefined): boolean {
  return isSame(one?.row, other?.row);
}

/** Columns are always in the same order. */
function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
