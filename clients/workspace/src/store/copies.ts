/**
 * All of this browser's data at once: exported, restored and deleted.
 *
 * A copy is a JSON file, or with pictures in notes or tasks a zip file of it and the pictures.
 */
import { CopyRefused } from "@adiuva/client";
import {
  type Copy,
  compareRows,
  deleteRows,
  exportRows,
  importRows,
  readCopy,
  type Tables,
  writeCopy,
} from "@adiuva/client/database";
import { msg } from "../i18n/msg";
import { isZip, packed, unpacked } from "../moving/zip";
import { UserError } from "../rpc/errors";
import type { CopyContent, StoreEvent } from "../rpc/messages";
import type { Conversations } from "./conversations";
import { isPictureName, type PictureStore, picturesIn, withPictures } from "./pictures";

/** Far more than any user writes, but still small enough to read as one text. */
const MOST_BYTES = 256 * 1024 * 1024;
/** The files of a zip file. */
const ROWS = "adiuva.json";
const PICTURES = "pictures/";

interface ReadCopy {
  readonly copy: Copy;
  readonly pictures: ReadonlyMap<string, Blob>;
}

export class Copies {
  readonly #tables: Tables;
  readonly #pictures: PictureStore;
  readonly #conversations: Pick<Conversations, "stopAll">;
  readonly #tell: (event: StoreEvent) => void;

  constructor(parts: {
    tables: Tables;
    pictures: PictureStore;
    conversations: Pick<Conversations, "stopAll">;
    tell: (event: StoreEvent) => void;
  }) {
    this.#tables = parts.tables;
    this.#pictures = parts.pictures;
    this.#conversations = parts.conversations;
    this.#tell = parts.tell;
  }

  async write(): Promise<Blob> {
    const copy = await exportRows(this.#tables);
    const rows = new Blob([writeCopy(copy)], { type: "application/json" });
    const pictures = [];
    for (const name of picturesIn(copy.rows)) {
      const content = await this.#pictures.read(name);
      if (content !== null) {
        pictures.push({ path: PICTURES + name, content });
      }
    }
    return pictures.length === 0 ? rows : await packed([{ path: ROWS, content: rows }, ...pictures]);
  }

  async check(file: Blob): Promise<CopyContent> {
    const { copy, pictures } = await readFile(file);
    return { ...(await compareRows(this.#tables, copy)), pictures: pictures.size };
  }

  async restore(file: Blob): Promise<CopyContent> {
    const { copy, pictures } = await readFile(file);
    const restored = withPictures(this.#pictures, pictures, () => importRows(this.#tables, withoutWaiting(copy)));
    const summary = await restored.catch((cause: unknown) => {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new UserError(msg("Nothing was restored: {why}."), { why }, { cause });
    });
    this.#tell({ type: "renewed" });
    return { ...summary, pictures: pictures.size };
  }

  /** Also stops answers in progress: their conversations are gone. */
  async deleteEverything(): Promise<void> {
    await this.#conversations.stopAll();
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

/** Throws `CopyRefused` and `UserError`. */
async function readFile(file: Blob): Promise<ReadCopy> {
  if (!(await isZip(file).catch(unreadable))) {
    return { copy: await rowsIn(file), pictures: new Map() };
  }
  const files = await unpacked(file);
  const rows = files.find(({ path }) => path === ROWS);
  if (rows === undefined) {
    throw new CopyRefused("This file is no copy of Adiuva’s data.");
  }
  const pictures = files
    .map(({ path, content }) => [path.slice(PICTURES.length), content] as const)
    .filter(([name], index) => files[index]?.path.startsWith(PICTURES) && isPictureName(name));
  return { copy: await rowsIn(rows.content), pictures: new Map(pictures) };
}

async function rowsIn(file: Blob): Promise<Copy> {
  if (file.size > MOST_BYTES) {
    throw new UserError(msg("This file is too large to be a copy of Adiuva’s data."));
  }
  return copyOf(await file.text().catch(unreadable));
}

/** The rows of a copy's JSON. Throws `CopyRefused` and `UserError`. */
export function copyOf(text: string): Copy {
  try {
    return readCopy(text);
  } catch (error) {
    if (error instanceof CopyRefused && error.detail !== undefined) {
      throw new UserError(msg("This copy is broken: {detail}"), { detail: error.detail }, { cause: error });
    }
    throw error;
  }
}

function unreadable(cause: unknown): never {
  throw new UserError(msg("This file cannot be read. Choose it again."), {}, { cause });
}
