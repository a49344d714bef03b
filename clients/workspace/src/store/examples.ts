/** Example data: enough for every page and a first question to show something. */
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

const EXAMPLES: readonly Example[] = [
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
];

const EVERY_PROJECT = 100_000;

const LOOSE: readonly Task[] = [
  ["Buy milk", 0, "low", "todo"],
  ["Call the dentist", 3, "medium", "todo"],
  ["Pay the rent", -1, "high", "done"],
];

/** All of them or none, as one change that can be undone. False if one of their projects is there already. */
export async function insertExamples(tables: Tables, now = Date.now()): Promise<boolean> {
  return await tables.together(async (rows) => {
    const present = await rows.select("projects", { includeArchived: true }, EVERY_PROJECT);
    if (present.some((row) => EXAMPLES.some(({ name }) => name === row.name))) {
      return false;
    }
    for (const { name, tasks, checkpoints, notes } of EXAMPLES) {
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
    for (const task of LOOSE) {
      await rows.insert("tasks", rowOf(task, now));
    }
    await rows.insert("notes", { title: "Ideas for the weekend", content: "Museum, the lake, or **nothing at all**." });
    return true;
  });
}

function rowOf([title, days, priority, status, who]: Task, now: number) {
  const dueDate = days === null ? null : daysFrom(now, days);
  return { title, priority, status, dueDate, assignee: who === undefined ? null : JSON.stringify([who]) };
}
