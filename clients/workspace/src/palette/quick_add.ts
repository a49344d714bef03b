/**
 * One line as a task: `Call Anna tomorrow 5pm #Website !high @Marco`. Pure.
 *
 * `#` names a project, also by the beginning of its name; `!` a priority; `@` a person. A part that the user has
 * rejected (`kept`) stays in the title.
 */
import type { RowOf } from "@adiuva/client/database";
import { foldedText as fold } from "../parts/folding";
import { type Language, saidDate } from "./said_dates";

type Priority = RowOf["tasks"]["priority"];

export interface Understood {
  readonly kind: "date" | "project" | "newProject" | "priority" | "person";
  /** As it was typed. */
  readonly text: string;
  readonly value: string;
}

export interface QuickTask {
  readonly title: string;
  readonly dueDate: number | null;
  readonly priority: Priority;
  readonly projectId: string | null;
  /** The name of a project that does not exist yet. */
  readonly newProject: string | null;
  readonly people: readonly string[];
  readonly understood: readonly Understood[];
}

export interface Named {
  readonly id: string;
  readonly name: string;
}

export interface Context {
  readonly now: number;
  readonly language: Language;
  readonly projects: readonly Named[];
  /** Texts that were understood and are part of the title all the same. */
  readonly kept?: ReadonlySet<string>;
}

const PRIORITIES: Readonly<Record<string, Priority>> = {
  high: "high",
  alta: "high",
  alto: "high",
  urgent: "high",
  urgente: "high",
  "1": "high",
  medium: "medium",
  media: "medium",
  medio: "medium",
  normal: "medium",
  "2": "medium",
  low: "low",
  bassa: "low",
  basso: "low",
  "3": "low",
};

interface Part extends Understood {
  readonly start: number;
  readonly end: number;
}

export function readQuickTask(text: string, context: Context): QuickTask {
  const marked = markedParts(text, context.projects).filter(({ text: said }) => !context.kept?.has(said));
  // The marked parts are blanked, so that no date is found across them and places stay the same.
  const rest = marked.reduce((left, { start, end }) => blanked(left, start, end), text);
  const date = datePart(rest, context);
  const parts = date === null ? marked : [...marked, date];
  const last = (kind: Part["kind"]) => parts.findLast((part) => part.kind === kind)?.value ?? null;
  return {
    title: titleOf(parts.reduce((left, { start, end }) => blanked(left, start, end), text)),
    dueDate: date === null ? null : Number(date.value),
    priority: (last("priority") as Priority | null) ?? "medium",
    projectId: last("project"),
    newProject: last("project") === null ? last("newProject") : null,
    people: [...new Set(parts.filter(({ kind }) => kind === "person").map(({ value }) => value))],
    understood: [...parts].sort((one, other) => one.start - other.start),
  };
}

const MARK = /(?<=^|\s)([#!@])("[^"]+"|[\p{L}\p{N}][\p{L}\p{N}_.'’-]*)/gu;

function markedParts(text: string, projects: readonly Named[]): Part[] {
  const parts: Part[] = [];
  for (const match of text.matchAll(MARK)) {
    const [whole, mark, said = ""] = match;
    const start = match.index;
    const part = partOf(mark as string, said, text.slice(start + 1), projects);
    if (part !== null) {
      const length = part.length ?? whole.length - 1;
      parts.push({ ...part, text: text.slice(start, start + 1 + length), start, end: start + 1 + length });
    }
  }
  return parts;
}

interface Read {
  readonly kind: Part["kind"];
  readonly value: string;
  /** How much of the text it takes, if that is not the word. */
  readonly length?: number;
}

function partOf(mark: string, said: string, rest: string, projects: readonly Named[]): Read | null {
  const word = said.replace(/^"|"$/g, "");
  switch (mark) {
    case "#":
      return projectPart(word, rest, projects);
    case "@":
      return { kind: "person", value: word };
    default: {
      const value = PRIORITIES[fold(word)];
      return value === undefined ? null : { kind: "priority", value };
    }
  }
}

/** The longest name that the text goes on with, else the first name that begins with the word. */
function projectPart(word: string, rest: string, projects: readonly Named[]): Read {
  const going = fold(rest);
  const whole = projects
    .filter(({ name }) => going.startsWith(fold(name)) && !/[\p{L}\p{N}]/u.test(rest[name.length] ?? ""))
    .sort((one, other) => other.name.length - one.name.length)[0];
  if (whole !== undefined) {
    return { kind: "project", value: whole.id, length: whole.name.length };
  }
  const sought = fold(word);
  const begun = projects.find(({ name }) => fold(name).replace(/\s+/g, "").startsWith(sought));
  const found = begun ?? projects.find(({ name }) => fold(name).split(/\s+/).includes(sought));
  return found === undefined ? { kind: "newProject", value: word } : { kind: "project", value: found.id };
}

function datePart(text: string, { now, language, kept }: Context): Part | null {
  let sought = text;
  for (;;) {
    const found = saidDate(sought, now, language);
    if (found === null) {
      return null;
    }
    const { start, end, moment } = found;
    const said = text.slice(start, end);
    if (!kept?.has(said)) {
      return { kind: "date", text: said, value: String(moment), start, end };
    }
    sought = blanked(sought, start, end);
  }
}

function blanked(text: string, start: number, end: number): string {
  return text.slice(0, start) + BLANK.repeat(end - start) + text.slice(end);
}

/** No text has it, and no date goes across it. */
const BLANK = "\u0000";
const BLANKS_BEFORE_STOP = new RegExp(`\\s*${BLANK}[\\s${BLANK}]*([,.;:])`, "g");
const BLANKS = new RegExp(`[\\s${BLANK}]+`, "g");

function titleOf(text: string): string {
  return text.replace(BLANKS_BEFORE_STOP, "$1").replace(BLANKS, " ").trim();
}
