/** Data of other programs: imported as one change that can be undone, and exported. */
import { newUuid } from "@adiuva/client";
import type { RowWriter, Tables } from "@adiuva/client/database";
import { msg } from "../i18n/msg";
import type { Form } from "../moving/export";
import type { Matched } from "../moving/matching";
import { type Context, IMPORTED, type Plan, type Rows } from "../moving/plan";
import { type PathFile, packed } from "../moving/zip";
import { UserError } from "../rpc/errors";
import type { Imported, ImportPreview, ImportSample, StoreEvent, TableName } from "../rpc/messages";
import { type PictureStore, withPictures } from "./pictures";

const EVERYTHING = 1_000_000;
/** How many rows a preview shows of each table. */
const SAMPLES = 5;
/** How many rows are written between two reports of progress. */
const STEP = 250;

export class Transfers {
  readonly #tables: Tables;
  readonly #pictures: PictureStore;
  readonly #readPlan: (files: readonly PathFile[], context: Context) => Promise<Plan>;
  readonly #tell: (event: StoreEvent) => void;
  #latest: { readonly id: string; readonly plan: Plan } | undefined;

  constructor(parts: {
    tables: Tables;
    pictures: PictureStore;
    readPlan: (files: readonly PathFile[], context: Context) => Promise<Plan>;
    tell: (event: StoreEvent) => void;
  }) {
    this.#tables = parts.tables;
    this.#pictures = parts.pictures;
    this.#readPlan = parts.readPlan;
    this.#tell = parts.tell;
  }

  /** Writes nothing. Throws `UserError` and `CopyRefused`. */
  async read(files: readonly PathFile[], context: Pick<Context, "language" | "words">): Promise<ImportPreview> {
    const plan = await this.#readPlan(files, { ...context, now: this.#tables.clock.now() });
    const here = await this.#tables.together(rowsOf);
    this.#latest = { id: newUuid(), plan };
    return previewOf(this.#latest.id, plan, await matchedRows(plan, here), here);
  }

  /** Writes all of what `read` found, but for what is here by now, or nothing. */
  async run(id: string): Promise<Imported> {
    if (this.#latest?.id !== id) {
      throw new UserError(msg("Choose the files again: others were chosen since."));
    }
    const { plan } = this.#latest;
    const imported = withPictures(this.#pictures, plan.pictures, () =>
      this.#tables.together(async (rows, entry) => {
        const { rows: added } = await matchedRows(plan, await rowsOf(rows));
        await this.#write(rows, added);
        return { entry, counts: countsOf(added) };
      }),
    );
    const done = await imported.catch((cause: unknown) => {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new UserError(msg("Nothing was imported: {why}."), { why }, { cause });
    });
    this.#latest = undefined;
    return done;
  }

  async files(form: Form): Promise<readonly PathFile[]> {
    const { exportedFiles } = await import("../moving/export");
    return await exportedFiles(form, await this.#tables.together(rowsOf), {
      pictures: this.#pictures,
      now: this.#tables.clock.now(),
    });
  }

  async file(form: Form): Promise<Blob> {
    const files = await this.files(form);
    const [only] = files;
    return only !== undefined && form === "calendar" ? only.content : await packed(files);
  }

  async #write(rows: RowWriter, added: Rows): Promise<void> {
    const all = IMPORTED.flatMap((table) => added[table].map((row) => ({ table, row })));
    for (const [index, { table, row }] of all.entries()) {
      if (index % STEP === 0) {
        this.#tell({ type: "progress", work: "importing", done: index, total: all.length });
      }
      await rows.put(table, row.id, { ...row }, null);
    }
  }
}

async function matchedRows(plan: Plan, here: Rows): Promise<Matched> {
  const { matched } = await import("../moving/matching");
  return matched(plan.rows, here);
}

async function rowsOf(source: RowWriter): Promise<Rows> {
  const rows: Partial<Record<TableName, unknown>> = {};
  for (const table of IMPORTED) {
    const filters = table === "projects" ? { includeArchived: true } : {};
    rows[table] = await source.select(table, filters, EVERYTHING);
  }
  return rows as Rows;
}

function countsOf(rows: Rows): Record<TableName, number> {
  return Object.fromEntries(IMPORTED.map((table) => [table, rows[table].length])) as Record<TableName, number>;
}

function previewOf(id: string, plan: Plan, { rows, known }: Matched, here: Rows): ImportPreview {
  const counts = IMPORTED.map((table) => [table, { added: rows[table].length, known: known[table] }] as const);
  const names = new Map([...here.projects, ...rows.projects].map((project) => [project.id, project.name]));
  return {
    id,
    sources: plan.sources,
    counts: Object.fromEntries(counts) as ImportPreview["counts"],
    pictures: plan.pictures.size,
    samples: IMPORTED.flatMap((table) => rows[table].slice(0, SAMPLES).map((row) => sampleOf(table, row, names))),
    skipped: plan.skipped,
    remarks: plan.remarks,
  };
}

function sampleOf(
  table: TableName,
  row: Readonly<Record<string, unknown>>,
  names: ReadonlyMap<string, string>,
): ImportSample {
  return {
    table,
    title: String(row.title ?? row.name ?? row.content),
    project: names.get(String(row.projectId)) ?? null,
    date: (row.dueDate ?? row.date ?? null) as number | null,
  };
}
