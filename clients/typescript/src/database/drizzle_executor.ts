/** Answers the server's calls from the device's database. The one place where failures become an `error`. */
import { AdiuvaError, CallRefused, DatabaseFailed } from "../errors.js";
import { ReadCall } from "../executor/calls.js";
import {
  type Answer,
  type Call,
  isTooLarge,
  MAX_ANSWER_BYTES,
  type ToolExecutor,
  tooLarge,
  type Undone,
  type UndoWhat,
} from "../executor/executor.js";
import { type Given, shown, validText } from "../executor/values.js";
import type { Orm } from "./database.js";
import type { Draft } from "./journal.js";
import { pageDetails } from "./pages.js";
import type { Rows } from "./rows.js";
import { SELECT_LIMIT } from "./selecting.js";
import type { Tables } from "./tables.js";
import { undo, whichOf } from "./undoing.js";
import { nearest, SEARCH_LIMIT, upsertVector } from "./vectors.js";

/** `model` made the vectors in calls, if that is known. */
interface Options {
  readonly maxBytes: number;
  readonly model: string | null;
}

/** Every action of the protocol's "Calls into the client's database". */
export class DrizzleExecutor implements ToolExecutor {
  readonly capabilities = ["page_details", "ledger", "counts", "undo"] as const;
  readonly #tables: Tables;
  readonly #onFault: (error: unknown) => void;

  /** `onFault` gets unexpected errors; the server does not get their messages. */
  constructor(tables: Tables, { onFault = () => undefined }: { onFault?: (error: unknown) => void } = {}) {
    this.#tables = tables;
    this.#onFault = onFault;
  }

  async execute(
    call: Call,
    { maxBytes = MAX_ANSWER_BYTES, embeddingModel }: { maxBytes?: number; embeddingModel?: string } = {},
  ): Promise<Answer> {
    try {
      const read = new ReadCall(call as unknown as Given);
      const options = { maxBytes, model: embeddingModel ?? null };
      return read.isWrite ? await this.#written(read, options) : await this.#read(read, options);
    } catch (error) {
      return { error: this.#sentence(error) };
    }
  }

  /** As `Tables.undo`. */
  async undo(what: UndoWhat, options: { isPartial?: boolean } = {}): Promise<Undone> {
    return await this.#tables.undo(what, options);
  }

  async #read(call: ReadCall, { maxBytes, model }: Options): Promise<Answer> {
    const { database } = this.#tables;
    return await database.snapshot(async (orm) => notTooLarge(await this.#found(orm, call, model), maxBytes));
  }

  async #written(call: ReadCall, { maxBytes, model }: Options): Promise<Answer> {
    return await this.#tables.journaled(async (orm, journal) => {
      const apply = async (draft: Draft) => notTooLarge(await this.#applied(orm, draft, call, model), maxBytes);
      const { answer, changes } = await journal.once(orm, call, apply);
      return { result: answer, changes };
    });
  }

  async #found(orm: Orm, call: ReadCall, model: string | null): Promise<Answer> {
    const rows = this.#tables.rows(orm);
    switch (call.action) {
      case "select":
        return await selected(rows, call);
      case "get":
        return { row: await rows.get(call.table, call.rowId) };
      case "page_details":
        return { row: await pageDetails(rows, call) };
      default: {
        const options = { projectId: projectOf(call.filters), model, limit: call.limit(SEARCH_LIMIT) };
        return { results: (await nearest(orm, call.vector, options)).map((hit) => ({ ...hit })) };
      }
    }
  }

  async #applied(orm: Orm, draft: Draft, call: ReadCall, model: string | null): Promise<Answer> {
    const rows = this.#tables.rows(orm, draft);
    switch (call.action) {
      case "insert":
        return { row: await rows.insert(call.table, call.data) };
      case "update":
        return { row: await rows.update(call.table, call.rowId, call.part("updates")) };
      case "delete":
        return { deleted: await rows.delete(call.table, call.rowId) };
      case "undo": {
        const which = { where: whichOf(call.part("what")), isPartial: call.flag("partial") };
        return { undo: await undo(orm, rows, draft, which) };
      }
      default: {
        const note = { projectId: call.optionalText("projectId"), content: call.text("content"), id: call.rowId };
        await upsertVector(orm, note, call.vector, model);
        return { ok: true };
      }
    }
  }

  #sentence(error: unknown): string {
    if (error instanceof DatabaseFailed) {
      return `The device's database could not do it: ${error.message}.`;
    }
    if (error instanceof AdiuvaError) {
      return error.message;
    }
    this.#onFault(error);
    return "Something went wrong on the device.";
  }
}

async function selected(rows: Rows, call: ReadCall): Promise<Answer> {
  const limit = call.limit(SELECT_LIMIT);
  const found = await rows.select(call.table, call.filters, limit);
  if (!call.counts) {
    return { rows: found };
  }
  return { rows: found, count: found.length < limit ? found.length : await rows.count(call.table, call.filters) };
}

function notTooLarge(answer: Answer, maxBytes: number): Answer {
  if (isTooLarge(answer, maxBytes)) {
    throw new CallRefused(tooLarge(maxBytes));
  }
  return answer;
}

function projectOf(filters: Given): string | null {
  for (const name of Object.keys(filters)) {
    if (name !== "projectId") {
      throw new CallRefused(`A search by vector cannot be filtered by ${shown(name)}.`);
    }
  }
  return "projectId" in filters ? validText(filters.projectId, "projectId") : null;
}
