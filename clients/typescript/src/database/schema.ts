/**
 * The device's database as a Drizzle schema: the protocol's tables, the conversations, and the device's own tables.
 *
 * `migrations.ts` creates them; a test compares the two.
 */
import { sql } from "drizzle-orm";
import { customType, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

const bytes = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => "blob" });

const id = () => text().primaryKey().notNull();
const moment = () => integer();
const suggestion = {
  isAiSuggested: integer().notNull(),
  isApproved: integer().notNull(),
  createdAt: moment().notNull(),
};

export const tasks = sqliteTable(
  "tasks",
  {
    id: id(),
    projectId: text(),
    title: text().notNull(),
    description: text(),
    status: text().$type<"todo" | "in_progress" | "done">().notNull(),
    priority: text().$type<"high" | "medium" | "low">().notNull(),
    /** A JSON array of names, as a string. */
    assignee: text(),
    dueDate: moment(),
    ...suggestion,
  },
  (table) => [index("task_due").on(table.dueDate)],
);

export const projects = sqliteTable("projects", {
  id: id(),
  clientId: text(),
  name: text().notNull(),
  status: text().$type<"active" | "archived">().notNull(),
  aiSummary: text(),
  createdAt: moment().notNull(),
});

export const checkpoints = sqliteTable("checkpoints", {
  id: id(),
  projectId: text().notNull(),
  title: text().notNull(),
  date: moment().notNull(),
  ...suggestion,
});

export const notes = sqliteTable("notes", {
  id: id(),
  projectId: text(),
  title: text().notNull(),
  content: text().notNull(),
  createdAt: moment().notNull(),
  updatedAt: moment().notNull(),
});

export const taskComments = sqliteTable(
  "taskComments",
  {
    id: id(),
    taskId: text().notNull(),
    author: text().notNull(),
    content: text().notNull(),
    createdAt: moment().notNull(),
  },
  (table) => [index("comment_task").on(table.taskId)],
);

export const clients = sqliteTable("clients", {
  id: id(),
  parentId: text(),
  name: text().notNull(),
  industry: text(),
  createdAt: moment().notNull(),
});

export const aiChatSessions = sqliteTable(
  "ai_chat_sessions",
  {
    id: id(),
    channel: text().$type<"home" | "contextual">().notNull(),
    title: text().notNull(),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
    lastScope: text("last_scope", { mode: "json" }).$type<Record<string, unknown>>(),
  },
  (table) => [index("session_latest").on(table.channel, table.updatedAt)],
);

export const aiChatMessages = sqliteTable(
  "ai_chat_messages",
  {
    id: id(),
    sessionId: text("session_id").notNull(),
    role: text().$type<"user" | "assistant" | "system">().notNull(),
    content: text().notNull(),
    toolCalls: text("tool_calls", { mode: "json" }).$type<unknown[]>(),
    toolResults: text("tool_results", { mode: "json" }).$type<unknown[]>(),
    scope: text({ mode: "json" }).$type<Record<string, unknown>>(),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [index("message_of_session").on(table.sessionId, table.createdAt)],
);

/**
 * What was changed: by which call, if any, with the hash of its arguments and its result, for which request, by whom,
 * and each row before and after, as JSON (`journal_entries.ts`). `undoes` are the ids of the entries that it undoes.
 */
export const journal = sqliteTable(
  "_journal",
  {
    number: integer().primaryKey(),
    id: text().notNull().unique(),
    hash: text(),
    result: text(),
    requestId: text(),
    actor: text().notNull(),
    at: moment().notNull(),
    changes: text(),
    undoes: text(),
    undoneBy: text(),
    bytes: integer().notNull(),
  },
  (table) => [
    index("journal_undone").on(table.undoneBy).where(sql`${table.undoneBy} IS NOT NULL`),
    index("journal_time").on(table.at, table.bytes),
    index("journal_request").on(table.requestId),
  ],
);

/** The notes' vectors, 32-bit floats of length 1, with the embedded `content` and, if known, the `model`. */
export const vectors = sqliteTable("_vectors", {
  id: id(),
  projectId: text(),
  content: text().notNull(),
  vector: bytes().notNull(),
  model: text(),
});

/** One row: this device's permanent id. */
export const device = sqliteTable("_device", { id: text().notNull() });

/** The jobs whose end was shown. */
export const jobs = sqliteTable("_jobs", { id: id() });

/** The ids of pinned conversations and answers, and since when. */
export const pins = sqliteTable("_pins", { id: id(), at: integer().notNull() });
