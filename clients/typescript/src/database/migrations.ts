/** Creates the tables, step by step. A released step is never changed: add another one. */

/** Marks the file as one of this package: "Adia". */
export const APPLICATION_ID = 0x41646961;

export const MIGRATIONS: readonly (readonly string[])[] = [
  [
    `CREATE TABLE tasks (id TEXT PRIMARY KEY NOT NULL, projectId TEXT, title TEXT NOT NULL, description TEXT,
      status TEXT NOT NULL, priority TEXT NOT NULL, assignee TEXT, dueDate INTEGER, isAiSuggested INTEGER NOT NULL,
      isApproved INTEGER NOT NULL, createdAt INTEGER NOT NULL)`,
    `CREATE TABLE projects (id TEXT PRIMARY KEY NOT NULL, clientId TEXT, name TEXT NOT NULL, status TEXT NOT NULL,
      aiSummary TEXT, createdAt INTEGER NOT NULL)`,
    `CREATE TABLE checkpoints (id TEXT PRIMARY KEY NOT NULL, projectId TEXT NOT NULL, title TEXT NOT NULL,
      date INTEGER NOT NULL, isAiSuggested INTEGER NOT NULL, isApproved INTEGER NOT NULL, createdAt INTEGER NOT NULL)`,
    `CREATE TABLE notes (id TEXT PRIMARY KEY NOT NULL, projectId TEXT, title TEXT NOT NULL, content TEXT NOT NULL,
      createdAt INTEGER NOT NULL, updatedAt INTEGER NOT NULL)`,
    `CREATE TABLE taskComments (id TEXT PRIMARY KEY NOT NULL, taskId TEXT NOT NULL, author TEXT NOT NULL,
      content TEXT NOT NULL, createdAt INTEGER NOT NULL)`,
    `CREATE TABLE clients (id TEXT PRIMARY KEY NOT NULL, parentId TEXT, name TEXT NOT NULL, industry TEXT,
      createdAt INTEGER NOT NULL)`,
    `CREATE TABLE ai_chat_sessions (id TEXT PRIMARY KEY NOT NULL, channel TEXT NOT NULL, title TEXT NOT NULL,
      created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, last_scope TEXT)`,
    `CREATE TABLE ai_chat_messages (id TEXT PRIMARY KEY NOT NULL, session_id TEXT NOT NULL, role TEXT NOT NULL,
      content TEXT NOT NULL, tool_calls TEXT, tool_results TEXT, scope TEXT, created_at INTEGER NOT NULL)`,
    `CREATE TABLE _ledger (id TEXT PRIMARY KEY NOT NULL, hash TEXT NOT NULL, result TEXT NOT NULL,
      appliedAt INTEGER NOT NULL)`,
    `CREATE TABLE _vectors (id TEXT PRIMARY KEY NOT NULL, projectId TEXT, content TEXT NOT NULL, vector BLOB NOT NULL)`,
    "CREATE TABLE _device (id TEXT NOT NULL)",
    "CREATE TABLE _jobs (id TEXT PRIMARY KEY NOT NULL)",
    // What is due: dueDateFrom, dueDateTo.
    "CREATE INDEX task_due ON tasks (dueDate)",
    // The comments of a task.
    "CREATE INDEX comment_task ON taskComments (taskId)",
    // The list of a channel's conversations, the latest first.
    "CREATE INDEX session_latest ON ai_chat_sessions (channel, updated_at DESC)",
    // One conversation, in its order.
    "CREATE INDEX message_of_session ON ai_chat_messages (session_id, created_at)",
  ],
  // The model of the existing vectors is unknown, so they are made again.
  ["ALTER TABLE _vectors ADD COLUMN model TEXT"],
  [
    `CREATE TABLE _journal (number INTEGER PRIMARY KEY NOT NULL, id TEXT NOT NULL UNIQUE, hash TEXT, result TEXT,
      requestId TEXT, actor TEXT NOT NULL, at INTEGER NOT NULL, changes TEXT, undoes TEXT, undoneBy TEXT,
      bytes INTEGER NOT NULL)`,
    // The entries of a request.
    "CREATE INDEX journal_request ON _journal (requestId)",
    // Those of a day, the oldest, and how much all hold.
    "CREATE INDEX journal_time ON _journal (at, bytes)",
    // What an entry undoes.
    "CREATE INDEX journal_undone ON _journal (undoneBy) WHERE undoneBy IS NOT NULL",
    `INSERT INTO _journal (id, hash, result, actor, at, bytes)
      SELECT id, hash, result, '', appliedAt, length(result) FROM _ledger ORDER BY appliedAt, rowid`,
    "DROP TABLE _ledger",
  ],
  // Conversations and answers that the user wants at hand.
  ["CREATE TABLE _pins (id TEXT PRIMARY KEY NOT NULL, at INTEGER NOT NULL)"],
];
