export * from "./errors.js";
export { type Answer, type Call, MAX_ANSWER_BYTES, type ToolExecutor } from "./executor/executor.js";
export { type Clock, type Draw, type IdMaker, newUuid, systemClock } from "./ports.js";
export type * from "./protocol/frames.js";
