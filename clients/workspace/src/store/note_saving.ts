/** Saving a note that may have been changed elsewhere since it was read. */
import type { Tables } from "@adiuva/client/database";
import { diff3Merge } from "node-diff3";
import type { SavedNote } from "../rpc/messages";

/** In one transaction, so that no other tab's text is lost between reading and writing. */
export async function saveNote(tables: Tables, id: string, base: string, content: string): Promise<SavedNote | null> {
  return await tables.together(async (rows) => {
    const row = await rows.get("notes", id);
    if (row === null) {
      return null;
    }
    const stored = String(row.content);
    const saved = merged(base, content, stored);
    if (saved.content !== stored) {
      await rows.update("notes", id, { content: saved.content });
    }
    return saved;
  });
}

/**
 * One text with the changes of both: by lines, and within lines by words. Where both changed the same words, it has both
 * versions, `mine` first. Pure.
 */
export function merged(base: string, mine: string, theirs: string): SavedNote {
  if (theirs === base || theirs === mine) {
    return { content: mine, isConflict: false };
  }
  return mergedBy(LINES, base, mine, theirs, (one, origin, other) =>
    mergedBy(WORDS, origin, one, other, (a, _origin, b) => ({ content: bothOf(a, b), isConflict: true })),
  );
}

const LINES = /(?<=\n)/;
const WORDS = /(?<=\s)(?=\S)|(?<=\S)(?=\s)/;

type Resolve = (mine: string, base: string, theirs: string) => SavedNote;

function mergedBy(parts: RegExp, base: string, mine: string, theirs: string, resolve: Resolve): SavedNote {
  const cut = (text: string) => (text === "" ? [] : text.split(parts));
  const regions = diff3Merge(cut(mine), cut(base), cut(theirs), { excludeFalseConflicts: true });
  const made = regions.map(({ ok, conflict }): SavedNote => {
    if (conflict === undefined) {
      return { content: (ok ?? []).join(""), isConflict: false };
    }
    return resolve(conflict.a.join(""), conflict.o.join(""), conflict.b.join(""));
  });
  return {
    content: made.map(({ content }) => content).join(""),
    isConflict: made.some(({ isConflict }) => isConflict),
  };
}

function bothOf(mine: string, theirs: string): string {
  const isParted = mine === "" || theirs === "" || /\s$/.test(mine) || /^\s/.test(theirs);
  return isParted ? mine + theirs : `${mine} ${theirs}`;
}
