export { addressOn, socketAddress } from "./client/addresses.js";
export type { Approver, Verdict } from "./client/approvals.js";
export { BACKOFF, type BackoffLimits } from "./client/backoff.js";
export {
  AdiuvaClient,
  type ClientOptions,
  type ClientState,
  type DeviceDescription,
  type Scope,
  type TokenProvider,
  type TokenReason,
} from "./client/client.js";
export { type EmbedNotes, type MadeVectors, type NoteText, noteEmbedder } from "./client/embedding.js";
export { IMAGE_LIMITS, type ImageType, imageUploader, type UploadedImage, type UploadImage } from "./client/images.js";
export type { JobWatcher } from "./client/jobs.js";
export { type MemoryEditor, type MemoryName, memoryEditor } from "./client/memory.js";
export { Account, authorized, type Confirmation, type Fetch, type TokenStore } from "./client/signing_in.js";
export { browserSockets, headerSockets, type OpenSocket, type Socket, type SocketListener } from "./client/sockets.js";
export type { Turn, TurnEnd, TurnEvent } from "./client/turn.js";
export * from "./errors.js";
export {
  type Answer,
  type Call,
  type DataCapability,
  MAX_ANSWER_BYTES,
  type ToolExecutor,
  type Undone,
  type UndoWhat,
} from "./executor/executor.js";
export { fold } from "./executor/folding.js";
export { REFERENCES } from "./executor/references.js";
export { type Clock, type Draw, type IdMaker, newUuid, systemClock } from "./ports.js";
export type * from "./protocol/frames.js";
export type { OnFault } from "./telling.js";
