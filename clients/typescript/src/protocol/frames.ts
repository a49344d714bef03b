// Made by npm run generate from frames.schema.json (SHA-256 065932d673c4fa2890d329329495b576ac7c2d284b0ec23fc83487d8441b99fa). Do not edit.

/**
 * A frame is one JSON text message: a ClientFrame or a ServerFrame.
 */
export type AdiuvaSocketProtocolVersion3 = ClientFrame | ServerFrame;
export type ClientFrame =
  | DeviceHello
  | Authenticate
  | HomeRequest
  | PopupRequest
  | ContextualRequest
  | BriefRequest
  | TaskBriefRequest
  | ChatRequest
  | ContextualScopeUpdate
  | ToolResult
  | DataResponse
  | ApprovalResponse
  | CancelRequest
  | ResumeRequest
  | JobAck
  | Ping
  | Pong;
/**
 * What a popup was opened on.
 */
export type PopupScopeType =
  "task" | "tasks" | "project" | "projects" | "checkpoint" | "checkpoints" | "timeline" | "note" | "notes";
/**
 * The effect of an undo on a row.
 */
export type UndoEffect = "restored" | "removed" | "reverted";
export type ServerFrame =
  | DeviceWelcome
  | TokenExpiring
  | Authenticated
  | Ping
  | StreamStart
  | PopupDomain
  | RememberedFrame
  | StreamText
  | StreamBlock
  | StreamStatus
  | StreamEnd
  | ToolCallFrame
  | DataRequest
  | MutationFrame
  | ApprovalRequest
  | ContextualScopeAck
  | TextChunk
  | FinalFrame
  | JobUpdate
  | ErrorFrame
  | ServerShutdown;
/**
 * The kind of a turn's answer.
 */
export type TurnKind = "home" | "popup" | "contextual" | "brief" | "task_brief";
/**
 * The subject of a popup's answer.
 */
export type Domain = "tasks" | "checkpoints" | "notes" | "projects";
/**
 * What an item is.
 */
export type ItemKind = "preference" | "fact" | "exchange" | "habit";
/**
 * The types of blocks in a home answer.
 */
export type BlockType = "chart" | "entity_ref" | "table" | "timeline";
/**
 * What a turn is doing while it sends no text.
 */
export type TurnState = "thinking" | "calling_tool" | "waiting_approval" | "queued";
/**
 * The code of an error. The list is complete.
 */
export type ErrorCode =
  | "unauthorized"
  | "token_expired"
  | "hello_required"
  | "bad_frame"
  | "unknown_type"
  | "invalid"
  | "too_large"
  | "busy"
  | "rate_limited"
  | "not_available"
  | "unknown_request"
  | "request_id_reused"
  | "turn_lost"
  | "shutting_down"
  | "quota_exceeded"
  | "model_unavailable"
  | "model_refused"
  | "model_error"
  | "internal_error";
/**
 * How a turn ended.
 */
export type FinishReason = "done" | "cancelled" | "error";
/**
 * What a call does in the client's database.
 */
export type CallAction =
  "select" | "get" | "insert" | "update" | "delete" | "vector_upsert" | "vector_search" | "page_details" | "undo";
/**
 * What a tool may do to the user's data.
 */
export type Risk = "read" | "write" | "destructive";
/**
 * The state of a queued tool run.
 */
export type JobState =
  "waiting_approval" | "queued" | "running" | "waiting_device" | "done" | "failed" | "cancelled" | "delivered";

export interface DeviceHello {
  app_version?: string | null;
  /**
   * Names the server does not know are ignored.
   *
   * @maxItems 50
   */
  capabilities?: string[];
  device_id: string;
  language?: string | null;
  platform?: string | null;
  protocol?: number;
  timezone?: string | null;
  type: "device_hello";
}
export interface Authenticate {
  token: string;
  type: "authenticate";
}
export interface HomeRequest {
  conversation_history?: HistoryMessage[];
  /**
   * The ids of images that were uploaded before.
   *
   * @maxItems 4
   */
  images?: [] | [string] | [string, string] | [string, string, string] | [string, string, string, string];
  message: string;
  model?: string | null;
  request_id?: string | null;
  session_id?: string | null;
  type: "home_request";
}
export interface HistoryMessage {
  content: string;
  role: "user" | "assistant" | "system";
}
export interface PopupRequest {
  /**
   * The ids of images that were uploaded before.
   *
   * @maxItems 4
   */
  images?: [] | [string] | [string, string] | [string, string, string] | [string, string, string, string];
  message: string;
  model?: string | null;
  request_id?: string | null;
  scope: PopupScope;
  type: "popup_request";
}
/**
 * The thing or the list a popup was opened on; ``id`` names the one thing.
 */
export interface PopupScope {
  id?: string | null;
  type: PopupScopeType;
}
export interface ContextualRequest {
  history?: HistoryMessage[] | null;
  /**
   * The ids of images that were uploaded before.
   *
   * @maxItems 4
   */
  images?: [] | [string] | [string, string] | [string, string, string] | [string, string, string, string];
  message: string;
  model?: string | null;
  request_id?: string | null;
  scope: ListScope | ProjectScope | NoteScope;
  session_id: string;
  type: "contextual_request";
}
/**
 * A page that lists things; ``filters`` are the page's own.
 */
export interface ListScope {
  entityType?: null;
  filters?: {
    [k: string]: unknown;
  } | null;
  page: "timeline" | "tasks" | "projects-list" | "notes-list";
}
/**
 * The page of one project.
 */
export interface ProjectScope {
  counts: ProjectCounts;
  entityId: string;
  entityName: string;
  entityType: "project";
  page: "project";
}
/**
 * How much a project holds.
 */
export interface ProjectCounts {
  milestones: number;
  notes: number;
  tasks: number;
}
/**
 * The page of one note; ``charCount`` is the length of its text.
 */
export interface NoteScope {
  charCount: number;
  entityId: string;
  entityName: string;
  entityType: "note";
  page: "note";
  projectId: string | null;
}
export interface BriefRequest {
  date?: string | null;
  model?: string | null;
  request_id?: string | null;
  type: "brief_request";
}
export interface TaskBriefRequest {
  model?: string | null;
  request_id?: string | null;
  task_id: string;
  type: "task_brief_request";
}
export interface ChatRequest {
  context?: {
    [k: string]: unknown;
  } | null;
  message: string;
  model?: string | null;
  type: "chat_request";
}
export interface ContextualScopeUpdate {
  scope: ListScope | ProjectScope | NoteScope;
  session_id: string;
  type: "contextual_scope_update";
}
export interface ToolResult {
  count?: number | null;
  deleted?: boolean | null;
  error?: string | null;
  id: string;
  ok?: boolean | null;
  results?:
    | {
        [k: string]: unknown;
      }[]
    | null;
  row?: {
    [k: string]: unknown;
  } | null;
  rows?:
    | {
        [k: string]: unknown;
      }[]
    | null;
  type: "tool_result";
  undo?: UndoResult | null;
}
/**
 * The result of an undo. If there are conflicts and the call is not ``partial``, nothing was changed.
 */
export interface UndoResult {
  conflicts: UndoConflict[];
  undone: UndoneRow[];
}
/**
 * A row that an undo left unchanged, because it, or a row that refers to it, was changed since.
 */
export interface UndoConflict {
  id: string;
  now: {
    [k: string]: unknown;
  } | null;
  table: string;
  would_be: {
    [k: string]: unknown;
  } | null;
}
/**
 * A row that an undo changed; null where there was, or is, no such row.
 */
export interface UndoneRow {
  after: {
    [k: string]: unknown;
  } | null;
  before: {
    [k: string]: unknown;
  } | null;
  effect: UndoEffect;
  id: string;
  table: string;
}
export interface DataResponse {
  count?: number | null;
  deleted?: boolean | null;
  error?: string | null;
  id: string;
  ok?: boolean | null;
  results?:
    | {
        [k: string]: unknown;
      }[]
    | null;
  row?: {
    [k: string]: unknown;
  } | null;
  rows?:
    | {
        [k: string]: unknown;
      }[]
    | null;
  type: "data_response";
  undo?: UndoResult | null;
}
export interface ApprovalResponse {
  approved: boolean;
  id: string;
  reason?: string | null;
  remember?: boolean;
  type: "approval_response";
}
export interface CancelRequest {
  request_id: string;
  type: "cancel_request";
}
export interface ResumeRequest {
  /**
   * The last number received; -1: send everything.
   */
  after_seq: number;
  request_id: string;
  type: "resume_request";
}
export interface JobAck {
  job_id: string;
  type: "job_ack";
}
export interface Ping {
  type: "ping";
}
export interface Pong {
  type: "pong";
}
export interface DeviceWelcome {
  connection_id: string;
  embedding: EmbeddingInfo;
  heartbeat_s: number;
  limits: Limits;
  models?: ModelInfo[];
  protocol: number;
  running: RunningTurn[];
  /**
   * Milliseconds since 1970, UTC.
   */
  server_time: number;
  type: "device_welcome";
}
export interface EmbeddingInfo {
  dimensions: number;
  model: string;
}
export interface Limits {
  max_concurrent_requests: number;
  max_frame_bytes: number;
}
/**
 * A model that a request may choose by its ``name``.
 */
export interface ModelInfo {
  /**
   * Whether it answers requests that choose none.
   */
  default: boolean;
  display_name: string;
  /**
   * Whether it sees images.
   */
  images: boolean;
  name: string;
}
export interface RunningTurn {
  last_seq: number;
  request_id: string;
}
export interface TokenExpiring {
  /**
   * Milliseconds since 1970, UTC.
   */
  expires_at: number;
  type: "token_expiring";
}
export interface Authenticated {
  /**
   * Milliseconds since 1970, UTC.
   */
  expires_at: number;
  type: "authenticated";
}
export interface StreamStart {
  kind: TurnKind;
  request_id: string;
  /**
   * Counts from 0 within a turn, without gaps.
   */
  seq: number;
  session_id?: string;
  type: "stream_start";
}
export interface PopupDomain {
  domain: Domain;
  request_id: string;
  /**
   * Counts from 0 within a turn, without gaps.
   */
  seq: number;
  type: "popup_domain";
}
export interface RememberedFrame {
  items: RememberedItem[];
  request_id: string;
  /**
   * Counts from 0 within a turn, without gaps.
   */
  seq: number;
  type: "remembered";
}
/**
 * An item of the memory that the model was sent with the message. Fields that are not known are null.
 */
export interface RememberedItem {
  /**
   * Of its row at `/api/v1/memory`.
   */
  id: string;
  kind: ItemKind;
  said_at: number | null;
  /**
   * The id of the exchange, in the episodic memory.
   */
  said_in: string | null;
  text: string;
  /**
   * The signals that brought it, the strongest first.
   */
  why: string[];
}
export interface StreamText {
  chunk: string;
  request_id: string;
  /**
   * Counts from 0 within a turn, without gaps.
   */
  seq: number;
  type: "stream_text";
}
export interface StreamBlock {
  block_type: BlockType;
  data: {
    [k: string]: unknown;
  };
  request_id: string;
  /**
   * Counts from 0 within a turn, without gaps.
   */
  seq: number;
  type: "stream_block";
}
export interface StreamStatus {
  label?: string;
  request_id: string;
  /**
   * Counts from 0 within a turn, without gaps.
   */
  seq: number;
  state: TurnState;
  tool?: string;
  type: "stream_status";
}
export interface StreamEnd {
  error?: ErrorInfo;
  finish_reason: FinishReason;
  /**
   * The model that answered in place of one that was away.
   */
  model?: string;
  mutations: Mutation[];
  request_id: string;
  /**
   * Counts from 0 within a turn, without gaps.
   */
  seq: number;
  type: "stream_end";
  usage?: TokenUsage;
}
export interface ErrorInfo {
  code: ErrorCode;
  message: string;
  retryable: boolean;
}
/**
 * A change that the client made in its database for this turn.
 */
export interface Mutation {
  action: CallAction;
  id: string;
  table: string;
}
export interface TokenUsage {
  input_tokens: number;
  output_tokens: number;
}
export interface ToolCallFrame {
  action: CallAction;
  /**
   * Of a write: the agent, tool or program that makes it.
   */
  by?: string;
  /**
   * Also say how many rows fit the filters of a select.
   */
  count?: boolean;
  data?: {
    [k: string]: unknown;
  };
  filters?: {
    [k: string]: unknown;
  };
  id: string;
  limit?: number;
  request_id: string;
  table?: string;
  type: "tool_call";
  vector?: number[];
}
export interface DataRequest {
  action: CallAction;
  /**
   * Of a write: the agent, tool or program that makes it.
   */
  by?: string;
  /**
   * Also say how many rows fit the filters of a select.
   */
  count?: boolean;
  data?: {
    [k: string]: unknown;
  };
  filters?: {
    [k: string]: unknown;
  };
  id: string;
  limit?: number;
  request_id: string;
  table?: string;
  type: "data_request";
  vector?: number[];
}
export interface MutationFrame {
  action: CallAction;
  /**
   * Of a write: the agent, tool or program that makes it.
   */
  by?: string;
  /**
   * Also say how many rows fit the filters of a select.
   */
  count?: boolean;
  data?: {
    [k: string]: unknown;
  };
  filters?: {
    [k: string]: unknown;
  };
  id: string;
  limit?: number;
  request_id: string;
  table?: string;
  type: "mutation";
  vector?: number[];
}
export interface ApprovalRequest {
  arguments: {
    [k: string]: unknown;
  };
  /**
   * Milliseconds since 1970, UTC.
   */
  expires_at: number;
  /**
   * The same for questions that are asked at the same time.
   */
  group?: string;
  id: string;
  preview?: Preview;
  request_id: string;
  risk: Risk;
  source?: Source;
  summary: string;
  tool: string;
  type: "approval_request";
}
/**
 * The row before and after the change; null if there is none.
 */
export interface Preview {
  after: {
    [k: string]: unknown;
  } | null;
  before: {
    [k: string]: unknown;
  } | null;
}
/**
 * The text that may have led to it, if not the user's own words did.
 */
export interface Source {
  /**
   * What people call it, in the user's language.
   */
  name: string;
  /**
   * An excerpt.
   */
  text: string;
}
export interface ContextualScopeAck {
  session_id: string;
  type: "contextual_scope_ack";
}
export interface TextChunk {
  text: string;
  type: "text_chunk";
}
export interface FinalFrame {
  done: true;
  response: string;
  type: "final";
}
export interface JobUpdate {
  error?: ErrorInfo;
  fraction?: number;
  job_id: string;
  label?: string;
  request_id: string;
  response?: string;
  session_id?: string;
  state: JobState;
  type: "job_update";
}
export interface ErrorFrame {
  code: ErrorCode;
  details?: Problem[];
  message: string;
  request_id?: string;
  retryable: boolean;
  type: "error";
}
/**
 * An error in one field of a frame.
 */
export interface Problem {
  field: string;
  problem: string;
}
export interface ServerShutdown {
  retry_after_ms: number;
  type: "server_shutdown";
}
