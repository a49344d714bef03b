/** All of this browser's data at once: exported, restored and deleted. */

import { CopyRefused } from "@adiuva/client";
import {
  type Copy,
  type CopySummary,
  compareRows,
  deleteRows,
  exportRows,
  importRows,
  readCopy,
  type Tables,
  writeCopy,
} from "@adiuva/client/database";
import { msg } from "../i18n/msg";
import type { StoreEvent } from "../rpc/messages";
import type { Conversations } from "./conversations";

/** Far more than any user writes, but still small enough to read as one text. */
const MOST_BYTES = 256 * 1024 * 1024;

export class Copies {
  readonly #tables: Tables;
  readonly #conversations: Pick<Conversations, "stopAll">;
  readonly #tell: (event: StoreEvent) => void;

  constructor(parts: {
    tables: Tables;
    conversations: Pick<Conversations, "stopAll">;
    tell: (event: StoreEvent) => void;
  }) {
    this.#tables = parts.tables;
    this.#conversations = parts.conversations;
    this.#tell = parts.tell;
  }

  async write(): Promise<Blob> {
    return new Blob([writeCopy(await exportRows(this.#tables))], { type: "application/json" });
  }

  async check(file: Blob): Promise<CopySummary> {
    return await compareRows(this.#tables, await copyIn(file));
  }

  async restore(file: Blob): Promise<CopySummary> {
    const copy = await copyIn(file);
    const summary = await importRows(this.#tables, withoutWaiting(copy)).catch((error: unknown) => {
      throw new Error(`Nothing was restored: ${error instanceof Error ? error.message : String(error)}.`, {
        cause: error,
      });
    });
    this.#tell({ type: "renewed" });
    return summary;
  }

  /** Also stops answers in progress: their conversations are gone. */
  async deleteEverything(): Promise<void> {
    this.#conversations.stopAll();
    try {
      await deleteRows(this.#tables);
    } finally {
      this.#tell({ type: "renewed" });
    }
  }
}

/** What waited to be sent when the copy was made may have been sent since, so it is not sent from here. */
function withoutWaiting(copy: Copy): Copy {
  const messages = copy.rows.ai_chat_messages.map((row) => (row.role === "user" ? { ...row, toolCalls: null } : row));
  return { ...copy, rows: { ...copy.rows, ai_chat_messages: messages } };
}

async function copyIn(file: Blob): Promise<Copy> {
  if (file.size > MOST_BYTES) {
    throw new CopyRefused(msg("This file is too large to be a copy of Adiuva’s data."));
  }
  const text = await file.text().catch((error: unknown) => {
    throw new CopyRefused(msg("This file cannot be read. Choose it again."), { cause: error });
  });
  return readCopy(text);
}
