/** Todoist's CSV files, one for each project: https://www.todoist.com/help/articles/import-or-export-a-project-as-a-csv-file. Pure. */
import type { RowOf } from "@adiuva/client/database";
import { msg } from "../i18n/msg";
import { assertIntact, type Csv } from "./csv";
import { stemOf } from "./files";
import type { Context, PlanBuilder } from "./plan";
import { isoMoment, readSaid } from "./said";

type Row = Readonly<Record<string, string>>;
type Task = RowOf["tasks"];

/** The project of what has none, in English and Italian. */
const INBOX = /^(inbox|in arrivo|posta in arrivo)$/i;
/** 4 is Todoist's word for none. */
const PRIORITIES: Readonly<Record<string, Task["priority"]>> = { "1": "high", "2": "medium", "3": "low", "4": "low" };

export function isTodoist({ columns }: Csv): boolean {
  return ["TYPE", "CONTENT", "INDENT"].every((name) => columns.includes(name));
}

export function addTodoist(builder: PlanBuilder, path: string, csv: Csv, context: Context): void {
  assertIntact(csv, path);
  const name = stemOf(path)
    .replace(/\s*\[\d+\]$/, "")
    .trim();
  const projectId = INBOX.test(name) ? null : builder.project(name);
  new Reader(builder, context, projectId, name).read(csv.rows);
}

class Reader {
  readonly #builder: PlanBuilder;
  readonly #context: Context;
  readonly #projectId: string | null;
  readonly #name: string;
  #section = "";
  /** The task that a row is under, for each depth. */
  #above: Task[] = [];

  constructor(builder: PlanBuilder, context: Context, projectId: string | null, name: string) {
    this.#builder = builder;
    this.#context = context;
    this.#projectId = projectId;
    this.#name = name;
  }

  read(rows: readonly Row[]): void {
    for (const row of rows) {
      const content = row.CONTENT?.trim() ?? "";
      const type = row.TYPE?.trim().toLowerCase();
      if (type === "section") {
        this.#section = content;
        this.#above = [];
      } else if (type === "task") {
        this.#task(row, content);
      } else if (type === "note" && content !== "") {
        this.#comment(row, content);
      }
    }
    if (rows.some((row) => row.DURATION?.trim() && row.DURATION !== "None")) {
      this.#builder.remark(msg("How long tasks take is not imported."));
    }
  }

  #task(row: Row, content: string): void {
    const depth = Math.max(1, Number(row.INDENT) || 1);
    const parent = this.#above[Math.min(depth - 2, this.#above.length - 1)];
    // A star marks what cannot be ticked.
    const title = content.replace(/^\*\s+/, "");
    if (title === "") {
      this.#builder.skip(this.#name, msg("A task without a title."));
      return;
    }
    const { dueDate, lines } = this.#dates(row);
    const { partOf, section } = this.#context.words;
    const before = [
      ...(parent === undefined ? [] : [`${partOf}: ${parent.title}`]),
      ...(this.#section === "" ? [] : [`${section}: ${this.#section}`]),
      ...lines,
    ];
    const task = this.#builder.task({
      title,
      projectId: this.#projectId,
      description: [...before, ...(row.DESCRIPTION?.trim() ? [row.DESCRIPTION.trim()] : [])].join("\n") || null,
      priority: PRIORITIES[row.PRIORITY?.trim() ?? ""] ?? "low",
      assignee: row.RESPONSIBLE?.trim() ? JSON.stringify([personOf(row.RESPONSIBLE)]) : null,
      dueDate,
    });
    this.#above = [...this.#above.slice(0, depth - 1), task];
  }

  /** The date, and what of it a task cannot hold. */
  #dates(row: Row): { dueDate: number | null; lines: string[] } {
    const { words } = this.#context;
    const said = row.DATE?.trim() ?? "";
    const { moment, isRepeated } = this.#moment(said, row);
    const deadline = row.DEADLINE?.trim() ?? "";
    const lines = [
      ...(isRepeated ? [`${words.repeats}: ${said}`] : []),
      ...(said !== "" && !isRepeated && moment === null ? [`${words.date}: ${said}`] : []),
      ...(deadline !== "" && said !== "" ? [`${words.deadline}: ${deadline}`] : []),
    ];
    if (isRepeated) {
      this.#builder.remark(
        msg("Tasks do not repeat here: their next date is imported, and the rule is in their description."),
      );
    }
    return { dueDate: said === "" && deadline !== "" ? this.#moment(deadline, row).moment : moment, lines };
  }

  #moment(said: string, row: Row) {
    return readSaid(said, {
      now: this.#context.now,
      language: row.DATE_LANG?.trim().toLowerCase() || this.#context.language,
      zone: row.TIMEZONE?.trim() ?? "",
    });
  }

  #comment(row: Row, content: string): void {
    const text = content.replace(/\s*\[\[file (\{.*?\})\]\]/g, (_all, json: string) => ` ${fileOf(json)}`).trim();
    const createdAt = isoMoment(row.DATE?.trim() ?? "") ?? this.#context.now;
    const task = this.#above.at(-1);
    if (task === undefined) {
      this.#builder.note({ title: this.#name, content: text, projectId: this.#projectId, createdAt });
    } else {
      this.#builder.comment({
        taskId: task.id,
        author: personOf(row.AUTHOR ?? "") || "Todoist",
        content: text,
        createdAt,
      });
    }
  }
}

/** `Anna (123456)` → `Anna`. */
function personOf(text: string): string {
  return text.replace(/\s*\(\d+\)\s*$/, "").trim();
}

/** A file of a comment, as a link. */
function fileOf(json: string): string {
  try {
    const { file_name, file_url } = JSON.parse(json) as { file_name?: string; file_url?: string };
    return `[${file_name ?? file_url}](${file_url})`;
  } catch {
    return json;
  }
}
