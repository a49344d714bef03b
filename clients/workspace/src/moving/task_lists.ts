/**
 * Tasks and checkpoints as lists in Markdown, with the inline fields of Obsidian's Dataview, which its Tasks plugin reads
 * as well: https://blacksmithgu.github.io/obsidian-dataview/annotation/add-metadata/. Pure.
 *
 * ```
 * - [ ] Call Anna [priority:: high] [due:: 2026-11-26T17:00+01:00] [people:: Anna, Marco] [created:: …]
 *   Her new number is in the note.
 *   - [comment:: Marco] [created:: …] She is away until Friday.
 * - Text is final [date:: 2026-12-01] [created:: …]
 * ```
 */
import type { RowOf } from "@adiuva/client/database";
import { startOfDay } from "../parts/days";
import { namesOf } from "../parts/names";
import type { PlanBuilder } from "./plan";
import { isoMoment } from "./said";

type Task = RowOf["tasks"];

const MARKS: Readonly<Record<Task["status"], string>> = { todo: " ", in_progress: "/", done: "x" };

export function taskLines(task: Task, comments: readonly RowOf["taskComments"][]): string[] {
  const fields = fieldsOf([
    ["priority", task.priority],
    ["due", task.dueDate === null ? null : isoOf(task.dueDate)],
    ["people", namesOf(task.assignee).map(escaped).join(", ") || null],
    ["created", new Date(task.createdAt).toISOString()],
  ]);
  const description = task.description === null ? [] : task.description.split("\n").map(guarded);
  return [
    `- [${MARKS[task.status]}] ${escaped(task.title)}${fields}`,
    ...description.map((line) => `  ${line}`),
    ...comments.flatMap(commentLines),
  ];
}

function commentLines({ author, content, createdAt }: RowOf["taskComments"]): string[] {
  const [first = "", ...others] = content.split("\n");
  const created = new Date(createdAt).toISOString();
  return [`  - [comment:: ${escaped(author)}] [created:: ${created}] ${first}`, ...others.map((line) => `    ${line}`)];
}

export function checkpointLine({ title, date, createdAt }: RowOf["checkpoints"]): string {
  const fields = fieldsOf([
    ["date", isoOf(date)],
    ["created", new Date(createdAt).toISOString()],
  ]);
  return `- ${escaped(title)}${fields}`;
}

/** Midnight as a day alone, else with the offset of the clocks here. */
export function isoOf(moment: number): string {
  const offset = -new Date(moment).getTimezoneOffset();
  const local = new Date(moment + offset * 60_000).toISOString();
  if (moment === startOfDay(moment)) {
    return local.slice(0, 10);
  }
  const part = (minutes: number) => String(minutes).padStart(2, "0");
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60];
  return `${local.slice(0, -1).replace(/(:00)?\.000$/, "")}${offset < 0 ? "-" : "+"}${part(hours)}:${part(minutes)}`;
}

const TASK = /^- \[(.)\] (.*)$/;
const CHECKPOINT = /^- (?!\[)(.*)$/;
const COMMENT = /^ {2}- \[comment:: /;

/** Adds what the list of a project, or of none, has. */
export function addTaskList(builder: PlanBuilder, text: string, projectId: string | null): void {
  const lines = text.split("\n");
  let at = 0;
  /** The lines that follow with this indent. */
  const indented = (indent: string, isOver: (line: string) => boolean = () => false) => {
    const found: string[] = [];
    while (lines[at]?.startsWith(indent) && !isOver(lines[at] as string)) {
      found.push((lines[at] as string).slice(indent.length));
      at += 1;
    }
    return found;
  };
  while (at < lines.length) {
    const line = lines[at] as string;
    at += 1;
    const [, mark, said] = TASK.exec(line) ?? [];
    if (said !== undefined && partsOf(said).title.trim() !== "") {
      const description = indented("  ", (each) => COMMENT.test(each)).map(unguarded);
      const task = addTask(builder, { mark: mark as string, said, description, projectId });
      while (COMMENT.test(lines[at] ?? "")) {
        const [first = "", ...others] = [(lines[at++] as string).slice("  - ".length), ...indented("    ")];
        addComment(builder, task, first, others);
      }
    } else if (projectId !== null && CHECKPOINT.test(line)) {
      addCheckpoint(builder, line.slice("- ".length), projectId);
    }
  }
}

function addTask(
  builder: PlanBuilder,
  given: { mark: string; said: string; description: readonly string[]; projectId: string | null },
): Task {
  const { title, fields } = partsOf(given.said);
  const status = given.mark === "/" ? "in_progress" : given.mark === " " ? "todo" : "done";
  const people = (fields.people ?? "").match(/(?:\\.|[^\\,])+/g) ?? [];
  return builder.task({
    title,
    projectId: given.projectId,
    description: given.description.length === 0 ? null : given.description.join("\n"),
    status,
    priority: fields.priority === "high" || fields.priority === "low" ? fields.priority : "medium",
    assignee: people.length === 0 ? null : JSON.stringify(people.map((name) => unescaped(name.trim()))),
    dueDate: isoMoment(fields.due ?? ""),
    ...createdIn(fields),
  });
}

function addComment(builder: PlanBuilder, task: Task, first: string, others: readonly string[]): void {
  const match = /^\[comment:: ((?:\\.|[^\\\]])*)\](?: \[created:: ([^\]]*)\])? ?(.*)$/.exec(first);
  const [, author = "", created = "", begun = ""] = match ?? [];
  const content = [begun, ...others].join("\n");
  if (author.trim() !== "" && content.trim() !== "") {
    builder.comment({ taskId: task.id, author: unescaped(author), content, ...createdIn({ created }) });
  }
}

function addCheckpoint(builder: PlanBuilder, said: string, projectId: string): void {
  const { title, fields } = partsOf(said);
  const date = isoMoment(fields.date ?? "");
  if (date !== null && title.trim() !== "") {
    builder.checkpoint({ title, date, projectId, ...createdIn(fields) });
  }
}

function createdIn({ created = "" }: Readonly<Record<string, string>>): { createdAt?: number } {
  const createdAt = isoMoment(created);
  return createdAt === null ? {} : { createdAt };
}

const FIELD = / \[(priority|due|people|created|date):: ((?:\\.|[^\\\]])*)\]/g;

function partsOf(said: string): { title: string; fields: Readonly<Record<string, string>> } {
  const found = [...said.matchAll(FIELD)];
  const title = unescaped(said.slice(0, found[0]?.index ?? said.length));
  return { title, fields: Object.fromEntries(found.map(([, name, value]) => [name, value])) };
}

function fieldsOf(fields: readonly (readonly [name: string, value: string | null])[]): string {
  return fields.map(([name, value]) => (value === null ? "" : ` [${name}:: ${value}]`)).join("");
}

/** On one line, without brackets and commas that mean something. */
function escaped(text: string): string {
  return text.replace(/[\\[\]<,]/g, "\\$&").replaceAll("\n", "<br>");
}

function unescaped(text: string): string {
  return text.replace(/\\(.)|<br>/g, (_all, character: string | undefined) => character ?? "\n");
}

/** A line of a description that looks like a comment. */
function guarded(line: string): string {
  return line.replace(/^(\\*- \[comment:: )/, "\\$1");
}

function unguarded(line: string): string {
  return line.replace(/^\\(\\*- \[comment:: )/, "$1");
}
