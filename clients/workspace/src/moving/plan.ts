/** What an import would write: whole rows with ids of their own, and pictures. Pure. */
import { newUuid } from "@adiuva/client";
import type { RowOf } from "@adiuva/client/database";
import type { Values } from "../i18n/translate";
import type { TableName } from "../rpc/messages";

/** In the order in which they are written: rows refer to rows of earlier tables. */
export const IMPORTED = ["clients", "projects", "tasks", "checkpoints", "notes", "taskComments"] as const;

export type PlannedRows = { readonly [Table in TableName]: RowOf[Table][] };

export type Rows = { readonly [Table in TableName]: readonly RowOf[Table][] };

export type Source = "todoist" | "notion" | "markdown" | "calendar" | "csv" | "copy";

/** A sentence for the user: `text` is marked by `msg`. */
export interface Remark {
  readonly text: string;
  readonly values: Values;
}

/** Something that is not imported. */
export interface Skipped extends Remark {
  readonly name: string;
}

export interface Plan {
  /** Which programs the files are of, each once. */
  readonly sources: readonly Source[];
  readonly rows: Rows;
  /** By their names in the notes. */
  readonly pictures: ReadonlyMap<string, Blob>;
  readonly skipped: readonly Skipped[];
  readonly remarks: readonly Remark[];
}

/** Words that the import writes into descriptions, in the language of the page. */
export interface Words {
  readonly date: string;
  readonly deadline: string;
  readonly partOf: string;
  readonly repeats: string;
  readonly section: string;
}

export interface Context {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly language: "en" | "it";
  readonly words: Words;
}

type Given<Table extends TableName, Needed extends keyof RowOf[Table]> = Partial<RowOf[Table]> &
  Pick<RowOf[Table], Needed>;

const SUGGESTION = { isAiSuggested: 0, isApproved: 1 };

/** Collects what a plan has. */
export class PlanBuilder {
  readonly rows: PlannedRows = { clients: [], projects: [], tasks: [], checkpoints: [], notes: [], taskComments: [] };
  readonly pictures = new Map<string, Blob>();
  readonly skipped: Skipped[] = [];
  readonly remarks: Remark[] = [];
  readonly #now: number;
  readonly #projects = new Map<string, string>();

  constructor(now: number) {
    this.#now = now;
  }

  /** The id of the project that `key` stands for, which is made if need be; null without a name. */
  project(name: string, given: Partial<RowOf["projects"]> = {}, key = name): string | null {
    const known = this.#projects.get(key);
    if (name.trim() === "" || known !== undefined) {
      return known ?? null;
    }
    const id = newUuid();
    this.rows.projects.push({
      id,
      clientId: null,
      name,
      status: "active",
      aiSummary: null,
      createdAt: this.#now,
      ...given,
    });
    this.#projects.set(key, id);
    return id;
  }

  task(given: Given<"tasks", "title">): RowOf["tasks"] {
    const row: RowOf["tasks"] = {
      id: newUuid(),
      projectId: null,
      description: null,
      status: "todo",
      priority: "medium",
      assignee: null,
      dueDate: null,
      ...SUGGESTION,
      createdAt: this.#now,
      ...given,
    };
    this.rows.tasks.push(row);
    return row;
  }

  note(given: Given<"notes", "title">): RowOf["notes"] {
    const createdAt = given.createdAt ?? this.#now;
    const row = { id: newUuid(), projectId: null, content: "", updatedAt: createdAt, ...given, createdAt };
    this.rows.notes.push(row);
    return row;
  }

  checkpoint(given: Given<"checkpoints", "title" | "date" | "projectId">): void {
    this.rows.checkpoints.push({ id: newUuid(), ...SUGGESTION, createdAt: this.#now, ...given });
  }

  comment(given: Given<"taskComments", "taskId" | "author" | "content">): void {
    this.rows.taskComments.push({ id: newUuid(), createdAt: this.#now, ...given });
  }

  skip(name: string, text: string, values: Values = {}): void {
    this.skipped.push({ name, text, values });
  }

  /** Each sentence once. */
  remark(text: string, values: Values = {}): void {
    if (!this.remarks.some((remark) => remark.text === text)) {
      this.remarks.push({ text, values });
    }
  }

  plan(sources: Iterable<Source>): Plan {
    const { rows, pictures, skipped, remarks } = this;
    return { sources: [...sources], rows, pictures, skipped, remarks };
  }
}
