/** Example data in each language: enough for every page and a first question to show something. */
import type { Tables } from "@adiuva/client/database";
import { daysFrom } from "../parts/days";

type Priority = "high" | "medium" | "low";
type State = "todo" | "in_progress" | "done";
/** Title, days from today, priority, state, who. */
type Task = readonly [string, number | null, Priority, State, string?];

interface Example {
  readonly name: string;
  readonly tasks: readonly Task[];
  readonly checkpoints: readonly (readonly [string, number])[];
  readonly notes: readonly (readonly [string, string])[];
}

interface Examples {
  readonly projects: readonly Example[];
  /** Tasks without a project. */
  readonly tasks: readonly Task[];
  /** A note without a project. */
  readonly note: readonly [string, string];
}

const ENGLISH: Examples = {
  projects: [
    {
      name: "Website",
      tasks: [
        ["Write the text of the front page", 0, "high", "in_progress", "Anna"],
        ["Choose the photographs", 2, "medium", "todo", "Anna"],
        ["Ask for the domain’s renewal", -3, "high", "todo"],
        ["Try the pages on a phone", 6, "medium", "todo", "Marco"],
        ["Sketch the navigation", -10, "low", "done", "Marco"],
      ],
      checkpoints: [
        ["Text is final", 7],
        ["Launch", 21],
      ],
      notes: [
        [
          "Tone of the texts",
          "Short sentences, no slogans.\n\n- Say **what it does** first\n- One idea a paragraph\n- Numbers only where they help",
        ],
      ],
    },
    {
      name: "Garden",
      tasks: [
        ["Water the roses", 0, "medium", "todo"],
        ["Order the pond liner", 1, "high", "todo", "Giulia"],
        ["Prune the apple tree", 12, "low", "todo"],
        ["Dig out the pond", 16, "medium", "todo", "Giulia"],
      ],
      checkpoints: [["Pond is filled", 30]],
      notes: [
        ["Pond", "About 3 × 2 m and 80 cm deep at one end.\n\n1. Mark it out with string\n2. Keep the topsoil apart"],
      ],
    },
  ],
  tasks: [
    ["Buy milk", 0, "low", "todo"],
    ["Call the dentist", 3, "medium", "todo"],
    ["Pay the rent", -1, "high", "done"],
  ],
  note: ["Ideas for the weekend", "Museum, the lake, or **nothing at all**."],
};

const ITALIAN: Examples = {
  projects: [
    {
      name: "Sito web",
      tasks: [
        ["Scrivere il testo della pagina iniziale", 0, "high", "in_progress", "Anna"],
        ["Scegliere le fotografie", 2, "medium", "todo", "Anna"],
        ["Chiedere il rinnovo del dominio", -3, "high", "todo"],
        ["Provare le pagine su un telefono", 6, "medium", "todo", "Marco"],
        ["Abbozzare la navigazione", -10, "low", "done", "Marco"],
      ],
      checkpoints: [
        ["Testi definitivi", 7],
        ["Lancio", 21],
      ],
      notes: [
        [
          "Tono dei testi",
          "Frasi brevi, niente slogan.\n\n- Prima di tutto **a che cosa serve**\n- Un’idea per paragrafo\n- Numeri solo se aiutano",
        ],
      ],
    },
    {
      name: "Giardino",
      tasks: [
        ["Innaffiare le rose", 0, "medium", "todo"],
        ["Ordinare il telo per il laghetto", 1, "high", "todo", "Giulia"],
        ["Potare il melo", 12, "low", "todo"],
        ["Scavare il laghetto", 16, "medium", "todo", "Giulia"],
      ],
      checkpoints: [["Laghetto pieno", 30]],
      notes: [
        [
          "Laghetto",
          "Circa 3 × 2 m, profondo 80 cm da un lato.\n\n1. Segnare il bordo con uno spago\n2. Mettere da parte il terriccio",
        ],
      ],
    },
  ],
  tasks: [
    ["Comprare il latte", 0, "low", "todo"],
    ["Chiamare il dentista", 3, "medium", "todo"],
    ["Pagare l’affitto", -1, "high", "done"],
  ],
  note: ["Idee per il fine settimana", "Museo, lago, oppure **niente di niente**."],
};

/** Languages without examples of their own get the English ones. */
const EXAMPLES: ReadonlyMap<string, Examples> = new Map([
  ["en", ENGLISH],
  ["it", ITALIAN],
]);
const PROJECTS: ReadonlySet<unknown> = new Set(
  [...EXAMPLES.values()].flatMap(({ projects }) => projects.map(({ name }) => name)),
);

const EVERY_PROJECT = 100_000;

/**
 * Those in `language`, all or none, as one change that can be undone. False if an example project is there already, in
 * any language.
 */
export async function insertExamples(tables: Tables, language: string, now = Date.now()): Promise<boolean> {
  const { projects, tasks: loose, note } = EXAMPLES.get(language) ?? ENGLISH;
  return await tables.together(async (rows) => {
    const present = await rows.select("projects", { includeArchived: true }, EVERY_PROJECT);
    if (present.some((row) => PROJECTS.has(row.name))) {
      return false;
    }
    for (const { name, tasks, checkpoints, notes } of projects) {
      const projectId = (await rows.insert("projects", { name })).id;
      for (const task of tasks) {
        await rows.insert("tasks", { projectId, ...rowOf(task, now) });
      }
      for (const [title, days] of checkpoints) {
        await rows.insert("checkpoints", { projectId, title, date: daysFrom(now, days) });
      }
      for (const [title, content] of notes) {
        await rows.insert("notes", { projectId, title, content });
      }
    }
    for (const task of loose) {
      await rows.insert("tasks", rowOf(task, now));
    }
    await rows.insert("notes", { title: note[0], content: note[1] });
    return true;
  });
}

function rowOf([title, days, priority, status, who]: Task, now: number) {
  const dueDate = days === null ? null : daysFrom(now, days);
  return { title, priority, status, dueDate, assignee: who === undefined ? null : JSON.stringify([who]) };
}
