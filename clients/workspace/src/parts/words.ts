/** The server's identifiers in words for the user. Pure. */
import type { CopiedTable } from "@adiuva/client/database";
import { numberShown } from "../i18n/formats";
import type { TableName } from "../rpc/messages";
import { named } from "./counted";
import { stampShown } from "./dates";

/** The device's tables, and what is withheld if the user marks them. */
export const TABLES: readonly (readonly [table: TableName, name: string, hint: string])[] = [
  ["tasks", "Tasks", "Titles, descriptions, dates, who does them"],
  ["projects", "Projects", "Names and summaries"],
  ["checkpoints", "Checkpoints", "Titles and dates"],
  ["notes", "Notes", "Titles and texts"],
  ["taskComments", "Comments", "What was said about tasks"],
  ["clients", "Clients", "Names and industries"],
];

const ONE: Readonly<Record<CopiedTable, string>> = {
  tasks: "task",
  projects: "project",
  checkpoints: "checkpoint",
  notes: "note",
  taskComments: "comment",
  clients: "client",
  ai_chat_sessions: "conversation",
  ai_chat_messages: "message",
};

const SOURCES: Readonly<Record<string, string>> = {
  home: "for an answer on Home",
  contextual: "for an answer in the sidebar",
  popup: "for an answer in a popup",
  brief: "for the day’s brief",
  task_brief: "for a task’s brief",
  chat: "for a program over REST",
  job: "for work that went on",
  mcp: "for a program over MCP",
  vectors: "to be found by its meaning",
};

const OWN_MODELS: Readonly<Record<string, string>> = {
  offline: "the offline assistant",
  "hashing-v1": "the server’s search",
};

const PLATFORMS: Readonly<Record<string, string>> = {
  web: "Browser",
  linux: "Linux",
  darwin: "Mac",
  macos: "Mac",
  win32: "Windows",
  windows: "Windows",
};

/** What one row of a table is called: `task`. */
export function nounOf(table: TableName): string {
  return ONE[table];
}

export function countOf(table: CopiedTable, count: number): string {
  return `${numberShown(count)} ${named(count, ONE[table])}`;
}

/** The server's own models have names that are only meant for programs. */
export function modelShown(model: string): string {
  return OWN_MODELS[model] ?? model;
}

export function sourceShown(source: string): string {
  return SOURCES[source] ?? source;
}

export function platformShown(platform: string): string {
  return PLATFORMS[platform.toLowerCase()] ?? (platform || "A device");
}

const LONGEST_QUOTE = 80;

/** `“The roof leaks.”`, the beginning of a longer text. */
export function quoted(text: string): string {
  return `“${text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE - 1)}…` : text}”`;
}

/** A time in the server's format (ISO 8601). */
export function isoShown(iso: string): string {
  return stampShown(Date.parse(iso));
}
