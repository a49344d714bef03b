export { folded } from "../executor/folding.js";
export {
  type BetterSqlite3,
  betterSqlite3,
  type NodeSqlite,
  nodeSqlite,
  type SqliteConnection,
  type SqliteWasm,
  type SqlJs,
  type SqlValue,
  sqliteWasm,
  sqlJs,
} from "./connections.js";
export { type CopySummary, compareRows, deleteRows, exportRows, importRows } from "./copies.js";
export { COPIED, type CopiedRow, type CopiedTable, type Copy, readCopy, writeCopy } from "./copy_format.js";
export { Database, type Orm } from "./database.js";
export { type DrizzleDatabase, drizzleSqlite } from "./drizzle_connection.js";
export { DrizzleExecutor } from "./drizzle_executor.js";
export { AiChat, type ChatChannel, type ChatMessage, type ChatSession, type NewMessage } from "./history.js";
export type { Entry, RowChange, StoredVector } from "./journal_entries.js";
export { NoteVectors } from "./note_vectors.js";
export { Pins } from "./pins.js";
export * as schema from "./schema.js";
export { ShownJobs } from "./shown_jobs.js";
export { type Change, type Changes, type RowOf, type RowWriter, Tables } from "./tables.js";
