/** All rows as files that other programs read. Loaded when it is needed. */
import type { RowOf } from "@adiuva/client/database";
import { stringify } from "yaml";
import { type PictureStore, picturesIn } from "../store/pictures";
import { writeCalendar } from "./calendar";
import { leadingTo, withLinks } from "./links";
import type { Rows } from "./plan";
import { writeTables } from "./tables";
import { checkpointLine, taskLines } from "./task_lists";
import type { PathFile } from "./zip";

export type Form = "markdown" | "csv" | "calendar";

export async function exportedFiles(
  form: Form,
  rows: Rows,
  { pictures, now }: { pictures: Pick<PictureStore, "read">; now: number },
): Promise<PathFile[]> {
  if (form === "calendar") {
    return [file("adiuva.ics", writeCalendar(rows, now), "text/calendar")];
  }
  const shown = await picturesOf(rows, pictures);
  if (form === "csv") {
    const tables = [...writeTables(rows)].map(([name, text]) => file(name, text, "text/csv"));
    return [...tables, ...[...shown].map(([name, content]) => ({ path: `pictures/${name}`, content }))];
  }
  const attached = [...shown].map(([name, content]) => ({ path: `${ATTACHMENTS}/${name}`, content }));
  return [...new MarkdownFolder(rows, new Set(shown.keys())).files(), ...attached];
}

const ATTACHMENTS = "attachments";

async function picturesOf(rows: Rows, pictures: Pick<PictureStore, "read">): Promise<ReadonlyMap<string, Blob>> {
  const found = new Map<string, Blob>();
  for (const name of picturesIn(rows)) {
    const content = await pictures.read(name);
    if (content !== null) {
      found.set(name, content);
    }
  }
  return found;
}

function file(path: string, text: string, type: string): PathFile {
  return { path, content: new Blob([text], { type }) };
}

/** A folder for each project, with its tasks and dates in the note of its name, and its notes. */
class MarkdownFolder {
  readonly #rows: Rows;
  readonly #pictures: ReadonlySet<string>;
  readonly #names = new Map<string, Set<string>>();
  readonly #comments = new Map<string, RowOf["taskComments"][]>();

  constructor(rows: Rows, pictures: ReadonlySet<string>) {
    this.#rows = rows;
    this.#pictures = pictures;
    for (const comment of rows.taskComments) {
      this.#comments.set(comment.taskId, [...(this.#comments.get(comment.taskId) ?? []), comment]);
    }
    this.#free("", ATTACHMENTS);
  }

  files(): PathFile[] {
    const { projects, notes, tasks } = this.#rows;
    const folders = new Map(projects.map((project) => [project.id, this.#free("", project.name)]));
    const loose = tasks.filter(({ projectId }) => !folders.has(projectId ?? ""));
    const lists = loose.length === 0 ? [] : [this.#page("", "Tasks", { adiuva: "tasks" }, this.#list(loose, [], ""))];
    return [
      ...projects.map((project) => this.#project(folders.get(project.id) as string, project)),
      ...lists,
      ...notes.map((note) => this.#note(folders.get(note.projectId ?? "") ?? "", note)),
    ];
  }

  #project(folder: string, { id, name, status, aiSummary, createdAt }: RowOf["projects"]): PathFile {
    const about = {
      adiuva: "project",
      name,
      status,
      ...(aiSummary === null ? {} : { summary: aiSummary }),
      created: new Date(createdAt).toISOString(),
    };
    const tasks = this.#rows.tasks.filter(({ projectId }) => projectId === id);
    const checkpoints = this.#rows.checkpoints.filter(({ projectId }) => projectId === id);
    return this.#page(folder, name, about, this.#list(tasks, checkpoints, folder));
  }

  #list(tasks: readonly RowOf["tasks"][], checkpoints: readonly RowOf["checkpoints"][], folder: string): string {
    const described = tasks.map((task) => ({
      ...task,
      description: task.description === null ? null : this.#withFiles(task.description, folder),
    }));
    const lines = [
      ...described.flatMap((task) => taskLines(task, this.#comments.get(task.id) ?? [])),
      ...(tasks.length > 0 && checkpoints.length > 0 ? [""] : []),
      ...checkpoints.map(checkpointLine),
    ];
    return `\n${lines.join("\n")}\n`;
  }

  #note(folder: string, { title, content, createdAt, updatedAt }: RowOf["notes"]): PathFile {
    const name = safe(title);
    const about = {
      adiuva: "note",
      title,
      // Where the file cannot have the title as its name, Obsidian still finds it by links.
      ...(name === title ? {} : { aliases: [title] }),
      created: new Date(createdAt).toISOString(),
      updated: new Date(updatedAt).toISOString(),
    };
    return this.#page(folder, title, about, this.#withFiles(content, folder));
  }

  #page(folder: string, name: string, about: object, text: string): PathFile {
    const path = `${folder === "" ? "" : `${folder}/`}${this.#free(folder, name)}.md`;
    return file(path, `---\n${stringify(about, { lineWidth: 0 })}---\n${text}`, "text/markdown");
  }

  #withFiles(content: string, folder: string): string {
    return withLinks(content, {
      wiki: ({ all }) => all,
      markdown: (link) => {
        const name = link.address.replace(/^attachment:/, "");
        const isHere = name !== link.address && this.#pictures.has(name);
        return isHere ? leadingTo(link, `${folder === "" ? "" : "../"}${ATTACHMENTS}/${name}`) : link.all;
      },
    });
  }

  /** A name that no other file of the folder has, in upper or lower case. */
  #free(folder: string, wanted: string): string {
    const taken = this.#names.get(folder) ?? new Set<string>();
    this.#names.set(folder, taken);
    const name = safe(wanted);
    for (let count = 1; ; count += 1) {
      const tried = count === 1 ? name : `${name} (${count})`;
      if (!taken.has(tried.toLowerCase())) {
        taken.add(tried.toLowerCase());
        return tried;
      }
    }
  }
}

const LONGEST_NAME = 100;

/** A file name on every system, without what means something in Obsidian's links. */
function safe(title: string): string {
  const name = title
    // biome-ignore lint/suspicious/noControlCharactersInRegex: file names cannot have them
    .replace(/[\u0000-\u001f\\/:*?"<>|#^[\]]/g, "-")
    .replace(/^[. ]+|[. ]+$/g, "");
  const short = Array.from(name).slice(0, LONGEST_NAME).join("").trim();
  return short === "" || /^(con|prn|aux|nul|com\d|lpt\d)$/i.test(short) ? `${short}_` : short;
}
