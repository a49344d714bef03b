export { ApprovalQueue, type OpenQuestion, useApprovals } from "./approvals.js";
export { type Chat, type ChatAnswer, type ChatExchange, useChat } from "./chat.js";
export { type Rows, useRows } from "./rows.js";
