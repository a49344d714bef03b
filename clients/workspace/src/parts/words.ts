/** The server's identifiers in words for the user. */

import type { CopiedTable } from "@adiuva/client/database";
import { msg, t } from "../i18n/translate";
import type { TableName } from "../rpc/messages";
import { stampShown } from "./dates";

/** The device's tables, and what is withheld if the user marks them. */
export const TABLES: readonly (readonly [table: TableName, name: string, hint: string])[] = [
  ["tasks", msg("Tasks"), msg("Titles, descriptions, dates, who does them")],
  ["projects", msg("Projects"), msg("Names and summaries")],
  ["checkpoints", msg("Checkpoints"), msg("Titles and dates")],
  ["notes", msg("Notes"), msg("Titles and texts")],
  ["taskComments", msg("Comments"), msg("What was said about tasks")],
  ["clients", msg("Clients"), msg("Names and industries")],
];

const ONE: Readonly<Record<TableName, string>> = {
  tasks: msg("task"),
  projects: msg("project"),
  checkpoints: msg("checkpoint"),
  notes: msg("note"),
  taskComments: msg("comment"),
  clients: msg("client"),
};

const COUNTED: Readonly<Record<CopiedTable, string>> = {
  tasks: msg("{count, plural, one {# task} other {# tasks}}"),
  projects: msg("{count, plural, one {# project} other {# projects}}"),
  checkpoints: msg("{count, plural, one {# checkpoint} other {# checkpoints}}"),
  notes: msg("{count, plural, one {# note} other {# notes}}"),
  taskComments: msg("{count, plural, one {# comment} other {# comments}}"),
  clients: msg("{count, plural, one {# client} other {# clients}}"),
  ai_chat_sessions: msg("{count, plural, one {# conversation} other {# conversations}}"),
  ai_chat_messages: msg("{count, plural, one {# message} other {# messages}}"),
};

const SOURCES: Readonly<Record<string, string>> = {
  home: msg("for an answer on Home"),
  contextual: msg("for an answer in the sidebar"),
  popup: msg("for an answer in a popup"),
  brief: msg("for the day’s brief"),
  task_brief: msg("for a task’s brief"),
  chat: msg("for a program over REST"),
  job: msg("for work that went on"),
  mcp: msg("for a program over MCP"),
  vectors: msg("to be found by its meaning"),
};

const OWN_MODELS: Readonly<Record<string, string>> = {
  offline: msg("the offline assistant"),
  "hashing-v1": msg("the server’s search"),
};

const PLATFORMS: Readonly<Record<string, string>> = {
  web: msg("Browser"),
  linux: "Linux",
  darwin: "Mac",
  macos: "Mac",
  win32: "Windows",
  windows: "Windows",
};

const UNKNOWN = msg("A device");

/** What one row of a table is called: `task`. */
export function nounOf(table: TableName): string {
  return t(ONE[table]);
}

/** `1 task`, `2 tasks`. */
export function countOf(table: CopiedTable, count: number): string {
  return t(COUNTED[table], { count });
}

/** The server's own models have names that are only meant for programs. */
export function modelShown(model: string): string {
  return t(OWN_MODELS[model] ?? model);
}

export function sourceShown(source: string): string {
  return t(SOURCES[source] ?? source);
}

export function platformShown(platform: string): string {
  return t(PLATFORMS[platform.toLowerCase()] ?? (platform || UNKNOWN));
}

const LONGEST_QUOTE = 80;

/** `“The roof leaks.”`, the beginning of a longer text. */
export function quoted(text: string): string {
  return t("“{text}”", { text: text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE - 1)}…` : text });
}

/** A time in the server's format (ISO 8601). */
export function isoShown(iso: string): string {
  return stampShown(Date.parse(iso));
}
