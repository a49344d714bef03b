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
  if (mine === base) {
    return { content: theirs, isConflict: false };
  }
  return mergedBy(LINES, base, mine, theirs, (one, origin, other) =>
    mergedBy(WORDS, origin, one, other, (a, _origin, b) => ({ content: bothOf(a, b), isConflict: true })),
  );
}

// Blank lines go with the line before, and spaces with the word after: the time grows with the pairs of equal parts.
const LINES = /(?<=\n)(?![\r\n])/;
const WORDS = /(?<=\S)(?=\s)/;
/** How many steps comparing the versions may take: two seconds at worst, where all parts are equal. */
const MOST_STEPS = 1_000_000_000;

type Parts = readonly string[];
/** What both agree on, or what they do not. */
type Region = { readonly ok?: Parts; readonly conflict?: { readonly a: Parts; readonly o: Parts; readonly b: Parts } };
type Resolve = (mine: string, base: string, theirs: string) => SavedNote;

function mergedBy(separator: RegExp, base: string, mine: string, theirs: string, resolve: Resolve): SavedNote {
  const cut = (text: string): Parts => (text === "" ? [] : text.split(separator));
  const whole = [cut(mine), cut(base), cut(theirs)] as const;
  const most = Math.min(...whole.map(({ length }) => length));
  const head = countOfCommon(whole, most, (index) => index);
  const tail = countOfCommon(whole, most - head, (index) => -1 - index);
  const [a, o, b] = whole.map((parts) => parts.slice(head, parts.length - tail)) as [string[], string[], string[]];
  const isFeasible = stepsOf(o, a) + stepsOf(o, b) <= MOST_STEPS;
  const regions: Region[] = isFeasible
    ? diff3Merge(a, o, b, { excludeFalseConflicts: true })
    : [{ conflict: { a, o, b } }];
  const made = regions.map(({ ok, conflict }): SavedNote => {
    if (conflict === undefined) {
      return { content: (ok ?? []).join(""), isConflict: false };
    }
    return resolve(conflict.a.join(""), conflict.o.join(""), conflict.b.join(""));
  });
  const [, origin] = whole;
  return {
    content: [
      ...origin.slice(0, head),
      ...made.map(({ content }) => content),
      ...origin.slice(origin.length - tail),
    ].join(""),
    isConflict: made.some(({ isConflict }) => isConflict),
  };
}

/** How many parts, at most `most`, are the same in all versions at the places that `at` gives. */
function countOfCommon([first, ...others]: readonly [Parts, ...Parts[]], most: number, at: (index: number) => number) {
  let count = 0;
  while (count < most && others.every((parts) => parts.at(at(count)) === first.at(at(count)))) {
    count += 1;
  }
  return count;
}

/** How many steps the longest common subsequence takes at most: each pair of equal parts may look at all pairs found. */
function stepsOf(one: Parts, other: Parts): number {
  const counts = new Map<string, number>();
  for (const part of one) {
    counts.set(part, (counts.get(part) ?? 0) + 1);
  }
  const pairs = other.reduce((sum, part) => sum + (counts.get(part) ?? 0), 0);
  return pairs * Math.min(one.length, other.length);
}

function bothOf(mine: string, theirs: string): string {
  const isParted = mine === "" || theirs === "" || /\s$/.test(mine) || /^\s/.test(theirs);
  return isParted ? mine + theirs : `${mine} ${theirs}`;
}
