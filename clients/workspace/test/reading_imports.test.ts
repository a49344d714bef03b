/** What is understood of other programs' exports. */
import ICAL from "ical.js";
import { expect, onTestFinished, test, vi } from "vitest";
import { linksIn } from "../src/moving/links";
import { type Plan, PlanBuilder } from "../src/moving/plan";
import { type ReadAnswer, readInWorker } from "../src/moving/reading";
import { packed } from "../src/moving/zip";
import { momentInZone, WINDOWS_ZONES } from "../src/moving/zones";
import { CONTEXT, exported, planOf, textFile } from "./imports";

const at = (month: number, day: number, hour = 0, minute = 0, year = 2026) =>
  new Date(year, month - 1, day, hour, minute).getTime();

function tasksIn({ rows }: Plan) {
  const names = new Map(rows.projects.map(({ id, name }) => [id, name]));
  return rows.tasks.map(({ projectId, title, status, priority, assignee, dueDate, description }) => ({
    project: names.get(projectId ?? "") ?? null,
    title,
    status,
    priority,
    assignee,
    dueDate,
    description,
  }));
}

test("Todoist’s projects, sections, subtasks, comments and dates are read, in English", async () => {
  const plan = await planOf(exported("todoist").filter(({ path }) => path.includes("Website")));

  expect(plan.sources).toEqual(["todoist"]);
  const task = { project: "Website", status: "todo", assignee: null, dueDate: null, description: null };
  expect(tasksIn(plan)).toEqual(
    [
      {
        ...task,
        title: "Write the text of the front page",
        priority: "high",
        assignee: '["Anna"]',
        // 09:30 in New York.
        dueDate: at(12, 1, 15, 30),
        description: 'Deadline: 2026-12-05\nShort, please.\nAnd "honest".',
      },
      {
        ...task,
        title: "Choose the photographs, all of them",
        priority: "low",
        assignee: '["Anna"]',
        description: "Part of: Write the text of the front page",
      },
      { ...task, title: "Things to remember", priority: "low", description: "Section: Launch", assignee: '["Anna"]' },
      {
        ...task,
        title: "Look at the figures",
        priority: "medium",
        dueDate: at(11, 30, 9),
        description: "Section: Launch\nRepeats: every mon at 9:00",
      },
      {
        ...task,
        title: "Renew the domain",
        priority: "low",
        description: "Section: Launch\nDate: when the invoice comes",
      },
    ].map((each) => ({ ...each, assignee: each.title.startsWith("Write") ? '["Anna"]' : null })),
  );
  expect(plan.rows.taskComments).toMatchObject([
    {
      taskId: plan.rows.tasks[0]?.id,
      author: "Marco",
      content: "Ask Marco for the numbers [numbers.pdf](https://files.todoist.com/numbers.pdf)",
      createdAt: Date.UTC(2026, 10, 20, 10),
    },
  ]);
  expect(plan.skipped).toEqual([{ name: "Website", text: "A task without a title.", values: {} }]);
  expect(plan.remarks.map(({ text }) => text)).toEqual([
    "Tasks do not repeat here: their next date is imported, and the rule is in their description.",
    "How long tasks take is not imported.",
  ]);
});

test("an Italian Todoist is read too, in Windows-1252 and with semicolons", async () => {
  const plan = await planOf(exported("todoist").filter(({ path }) => path.includes("arrivo")));

  expect(
    tasksIn(plan).map(({ project, title, dueDate, description }) => [project, title, dueDate, description]),
  ).toEqual([
    [null, "Comprare il caffè", at(11, 25), "È finito"],
    [null, "Annaffiare le rose", at(11, 30), "Repeats: ogni lun"],
    [null, "Chiamare l'idraulico", at(12, 12, 17), null],
  ]);
});

test.each([
  ["de", "morgen", at(11, 25), false],
  ["de", "jeden Montag um 9:00", at(11, 30, 9), true],
  ["de", "Jeden Tag", at(11, 24), true],
  ["es", "cada lunes", at(11, 30), true],
  ["es", "todos los días", at(11, 24), true],
  ["fr", "24 décembre 2026 à 9h", at(12, 24, 9), false],
  ["fr", "tous les jours", at(11, 24), true],
  ["nl", "elke maandag", at(11, 30), true],
  ["pt_br", "amanhã", at(11, 25), false],
  ["pt_br", "todo dia", at(11, 24), true],
  ["ja", "明日", null, false],
])("a date of Todoist in %s, “%s”, is read", async (language, said, dueDate, isRepeated) => {
  const csv = `TYPE,CONTENT,PRIORITY,INDENT,DATE,DATE_LANG\ntask,Anrufen,4,1,${said},${language}\n`;
  const [task] = tasksIn(await planOf([textFile("Haus.csv", csv)]));
  const description = isRepeated ? `Repeats: ${said}` : dueDate === null ? `Date: ${said}` : null;
  expect([task?.dueDate, task?.description]).toEqual([dueDate, description]);
});

test("Notion’s pages are notes and its database with a status is tasks, with their links and pictures", async () => {
  const inner = await packed(exported("notion"));
  const outer = await packed([{ path: "ExportBlock-Part-1.zip", content: inner }]);
  const plan = await planOf([{ path: "Export.zip", content: outer }]);

  expect(plan.sources).toEqual(["notion"]);
  const [picture] = plan.pictures.keys();
  expect(plan.pictures.size).toBe(1);
  const theirs = "[theirs](https://www.notion.so/bob/Theirs-00000000000000000000000000000009)";
  const task = { project: "Website", assignee: null, dueDate: null, description: null };
  expect(tasksIn(plan)).toEqual([
    {
      ...task,
      title: "Fix the menu",
      status: "in_progress",
      priority: "high",
      assignee: '["Anna","Marco"]',
      dueDate: at(11, 30, 17),
      description: [
        "Tags: web, phone\nIt jumps on a phone.",
        `Like [[Website]] and [[Ideas]]; not ${theirs}.`,
        `![the menu](attachment:${picture})`,
      ].join("\n\n"),
    },
    { ...task, title: "Try the pages on a phone", status: "todo", priority: "low" },
    {
      ...task,
      title: "Sketch the navigation",
      status: "done",
      priority: "medium",
      assignee: '["Marco"]',
      dueDate: at(11, 20),
      description: "Related: [[Fix the menu]], Nowhere (again)",
    },
  ]);
  const website = plan.rows.projects[0]?.id;
  const long = "Tone of the texts: short, plain and without any slogan at all";
  expect(plan.rows.notes.map(({ title, projectId, content }) => ({ title, projectId, content }))).toEqual([
    { title: "Ideas", projectId: null, content: "Back to [[Website]].\n" },
    {
      title: "Website",
      projectId: website,
      content: `The plan. See Tone of the texts ([[${long}]]) and [the list](https://example.com/list).\n\n![plan.png](attachment:${picture})\n\nFirst the menu ([[Fix the menu]]), then the rest of Tasks ([[Website]]).\n`,
    },
    { title: long, projectId: website, content: "- [ ] Say **what it does**\n- [x] One idea a paragraph\n" },
  ]);
  expect(plan.skipped.map(({ name, text }) => [name.replace(/ 0{28}\w{4}/g, ""), text])).toEqual([
    ["Books.csv", "This table is no list of tasks: it has no column for their status."],
    ["Website/contract.pdf", "This kind of file is not imported."],
  ]);
});

test("an Obsidian vault is notes by folder, with links, pictures and what is written in code left alone", async () => {
  const plan = await planOf(exported("obsidian"));

  expect(plan.sources).toEqual(["markdown"]);
  const names = new Map([...plan.pictures.keys()].map((name) => [name.split(".")[1], name]));
  const garden = plan.rows.projects[0];
  expect(garden?.name).toBe("Garden");
  expect(plan.rows.notes.map(({ title, projectId, content }) => [title, projectId, content])).toEqual([
    ["North", garden?.id, "Shade.\n\nNext to the pond ([[Pond]]).\n"],
    [
      "Pond",
      garden?.id,
      [
        "Deep at one end.\n",
        `![Pond|300](attachment:${names.get("png")})`,
        `![the liner](attachment:${names.get("jpg")})\n`,
        "```\n[[not a link]] ![](../files/liner%20blue.jpg)\n```\n",
        "- [ ] Mark it out `[[nor this]]`\n",
      ].join("\n"),
    ],
    [
      "Inbox",
      null,
      "---\ntags: [home, garden]\ncreated: 2025-03-01T08:00:00Z\n---\nWater the roses. See [[Pond]], how deep ([[Pond]]) and [[Nowhere yet]]. Then Edge ([[Pond]]), [[Pond]].\n",
    ],
  ]);
  expect(plan.rows.notes[2]?.createdAt).toBe(Date.UTC(2025, 2, 1, 8));
  expect(plan.skipped.map(({ name, text }) => [name, text])).toEqual([
    ["files/unused.webp", "Neither a note nor a task shows this picture."],
    ["Garden/map.canvas", "This kind of file is not imported."],
  ]);
});

test.each([
  ["![[gone.png|300]]", "![[gone.png|300]]"],
  ["![[files/gone.png]] and [[gone.png]]", "![[files/gone.png]] and [[gone.png]]"],
  ["| ![[gone.png\\|300x200]] |", "| ![[gone.png\\|300x200]] |"],
  ["![a pond](gone.png)", "![a pond](gone.png)"],
  ["![[plan.pdf|300]]", "![[plan.pdf|300]]"],
  ["![[Pond|300]]", "300 ([[Pond]])"],
  ["![[here.png|300x200]]", "![here|300x200](attachment:)"],
  ["| ![[here.png\\|300]] |", "| ![here\\|300](attachment:) |"],
  ["![[here.png|the pond|300]]", "![the pond|300](attachment:)"],
])("an embed keeps its file’s name, its words and its width: %s", async (written, text) => {
  const files = [textFile("vault/A.md", written), textFile("vault/Pond.md", ""), textFile("vault/here.png", "x")];
  const plan = await planOf([...files, textFile("vault/.obsidian/app.json", "{}")]);

  const content = plan.rows.notes.find(({ title }) => title === "A")?.content ?? "";
  expect(content.replace(/attachment:[\w.-]+/, "attachment:")).toBe(text);
  const missing = "This picture is not among the files. Where it would be shown, its name is kept.";
  const said = plan.skipped.filter((each) => each.text === missing).map(({ name }) => name);
  expect(said).toEqual(written.includes("gone") ? [written.includes("files/") ? "files/gone.png" : "gone.png"] : []);
});

test("what a description embeds from Obsidian is no link to a title", () => {
  const found = linksIn("![[gone.png|300]] [[Pond]] ![[Liner]] ![pond|300](attachment:p1.png)");
  expect([found.titles, found.pictures]).toEqual([["Pond", "Liner"], [{ words: "pond", name: "p1.png" }]]);
});

test("the same picture always gets the same name", async () => {
  const [one, other] = [await planOf(exported("obsidian")), await planOf(exported("obsidian"))];
  expect([...one.pictures.keys()]).toEqual([...other.pictures.keys()]);
  expect(one.pictures.size).toBe(2);
});

test("a calendar’s events are dates of a project, in every time zone, and its to-dos are tasks", async () => {
  const plan = await planOf(exported("calendar"));

  expect([plan.sources, plan.rows.projects.map(({ name }) => name)]).toEqual([["calendar"], ["Work"]]);
  expect(plan.rows.checkpoints.map(({ title, date }) => [title, date])).toEqual([
    // Mondays, but for the one that is left out; one is later.
    ["Standup, later", at(11, 30, 11)],
    ["Standup", at(12, 14, 9, 30)],
    ["Standup", at(12, 21, 9, 30)],
    ["Standup", at(12, 28, 9, 30)],
    ["Standup", at(1, 4, 9, 30, 2027)],
    ["Standup", at(1, 11, 9, 30, 2027)],
    ["Standup", at(1, 18, 9, 30, 2027)],
    ["Standup", at(1, 25, 9, 30, 2027)],
    ["Standup", at(2, 1, 9, 30, 2027)],
    ["Standup", at(2, 8, 9, 30, 2027)],
    ["Launch of the new website, with a title that is so long that it has to be folded", at(12, 15)],
    ["Call across the sea", at(12, 1, 16)],
  ]);
  expect(tasksIn(plan)).toEqual([
    {
      project: "Work",
      title: "Send the offer",
      status: "in_progress",
      priority: "high",
      assignee: null,
      dueDate: at(12, 3, 17),
      description: "With the price\nand the date",
    },
  ]);
  expect(plan.skipped.map(({ name, text }) => [name, text])).toEqual([
    ["Lunch", "It was cancelled."],
    ["Long ago", "It repeats, but not within the next year."],
  ]);
  expect(plan.remarks).toHaveLength(2);
});

const calendar = (events: readonly string[][]) =>
  textFile(
    "Garden.ics",
    [
      "BEGIN:VCALENDAR",
      ...events.flatMap((lines, index) => ["BEGIN:VEVENT", `UID:${index}`, ...lines, "END:VEVENT"]),
      "END:VCALENDAR",
    ].join("\r\n"),
  );

test("an event whose rule has no date, or a date for every second, is left out and said", async () => {
  const rules = ["FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=30", "FREQ=DAILY;BYDAY=1MO", "FREQ=SECONDLY"];
  const repeating = rules.map((rule) => [`SUMMARY:${rule}`, "DTSTART:20200101T100000Z", `RRULE:${rule}`]);

  const plan = await planOf([calendar([...repeating, ["SUMMARY:Sow", "DTSTART:20261201T100000Z"]])]);

  expect(plan.rows.checkpoints.map(({ title }) => title)).toEqual(["Sow"]);
  expect(plan.skipped).toEqual(
    rules.map((name) => ({ name, text: "It repeats by a rule that names too many dates, or none.", values: {} })),
  );
});

test("reading a calendar looks at each event a few times, however many there are", async () => {
  const events = Array.from({ length: 300 }, (_, index) => [`SUMMARY:Water ${index}`, "DTSTART:20261201T100000Z"]);
  const looked = vi.spyOn(ICAL.Component.prototype, "hasProperty");

  const plan = await planOf([calendar(events)]);

  expect(plan.rows.checkpoints).toHaveLength(300);
  expect(looked.mock.calls.length).toBeLessThan(20 * events.length);
  looked.mockRestore();
});

test("zones that Outlook names as Windows does are known without a description", async () => {
  const plan = await planOf(exported("outlook"));

  expect(plan.rows.checkpoints.map(({ title, date }) => [title, new Date(date).toISOString()])).toEqual([
    ["Planning in Tokyo", "2026-12-01T00:30:00.000Z"],
    ["Call New York", "2026-12-07T15:00:00.000Z"],
    ["Call New York", "2027-03-01T15:00:00.000Z"],
    // Clocks have been put forward there by then.
    ["Call New York", "2027-06-07T14:00:00.000Z"],
  ]);
  expect(tasksIn(plan).map(({ dueDate }) => dueDate && new Date(dueDate).toISOString())).toEqual([
    "2026-12-04T16:00:00.000Z",
  ]);
});

test("each zone of Windows is one that clocks know", () => {
  const noon = { year: 2026, month: 12, day: 1, hour: 12, minute: 0, second: 0 };
  const unknown = Object.keys(WINDOWS_ZONES).filter((name) => momentInZone(noon, name) === null);
  expect([Object.keys(WINDOWS_ZONES).length, unknown]).toEqual([139, []]);
});

test.each([
  ["photo.png", "pixels", "There is nothing in this that can be imported"],
  ["export.zip", "PK\u0003\u0004 and nothing more", "This zip file is damaged, or protected by a password."],
  ["data.json", "{}", "This file is no copy of Adiuva’s data."],
  ["calendar.ics", "BEGIN:VCALENDAR\r\nno line of a calendar\r\n", "This calendar is damaged"],
  ["table.csv", "a,b\n1,2\n", "There is nothing in this that can be imported"],
])("%s that is none is refused in words", async (name, text, words) => {
  await expect(planOf([textFile(name, text)])).rejects.toThrow(words);
});

test("what a task cannot hold of a row of Notion stays in its description", async () => {
  const id = "0".repeat(32);
  const rows = 'Name,Status,Date,Deadline,Priority\nRoof,Blocked,"November 30, 2026",when it is dry,Critical\n';
  const plan = await planOf([textFile(`Tasks ${id}.csv`, rows)]);
  expect(tasksIn(plan)).toEqual([
    {
      project: "Tasks",
      title: "Roof",
      status: "todo",
      priority: "medium",
      assignee: null,
      dueDate: at(11, 30),
      description: "Status: Blocked\nDeadline: when it is dry\nPriority: Critical",
    },
  ]);
});

test.each([
  ["one value too many", "task,Milk,4,1\ntask,Eggs, flour,4,1\n", 2],
  ["a quotation mark that does not end", 'task,Milk,4,1\ntask,"Eggs,4,1\ntask,Flour,4,1\n', 2],
])("a table with %s is refused as a whole", async (_what, rows, row) => {
  const header = "TYPE,CONTENT,PRIORITY,INDENT\n";
  await expect(planOf([textFile("Home.csv", header + rows)])).rejects.toThrow(
    `Home.csv, row ${row}: its values do not fit the columns. Export it again.`,
  );
});

test("files of several programs are imported together", async () => {
  const plan = await planOf([...exported("todoist"), ...exported("calendar"), textFile("Roof.md", "Slate.")]);
  expect(plan.sources).toEqual(["todoist", "calendar", "markdown"]);
});

test("a list of tasks that someone changed by hand keeps what makes sense", async () => {
  const text = [
    "---",
    "adiuva: tasks",
    "---",
    "# Mine",
    "- [ ] ",
    "- [x] Milk",
    "  two litres",
    "- [-] Bread [due:: soon]",
  ];
  const plan = await planOf([textFile("Tasks.md", text.join("\n"))]);
  expect(tasksIn(plan).map(({ title, status, description, dueDate }) => [title, status, description, dueDate])).toEqual(
    [
      ["Milk", "done", "two litres", null],
      ["Bread", "done", null, null],
    ],
  );
});

test("a broken row of Adiuva’s own tables is named", async () => {
  const header = "id,title,projectId,date,isAiSuggested,isApproved,createdAt";
  const row = "c1,Launch,p1,soon,0,1,2026-11-24";
  await expect(planOf([textFile("checkpoints.csv", `${header}\n${row}\n`)])).rejects.toThrow(
    'checkpoints, row 1: date must be a whole number of milliseconds, not "soon".',
  );
});

test("names of files that a Mac packed are read as UTF-8, even where the zip file does not say so", async () => {
  const bytes = new Uint8Array(await (await packed([textFile("caffe\u0300.md", "Buono.")])).arrayBuffer());
  // The flag for UTF-8 in both headers.
  const headers = [...bytes.keys()].filter((index) => bytes[index] === 0x50 && bytes[index + 1] === 0x4b);
  for (const index of headers) {
    const flag = index + (bytes[index + 2] === 3 ? 7 : bytes[index + 2] === 1 ? 9 : Number.NaN);
    if (!Number.isNaN(flag)) {
      bytes[flag] = (bytes[flag] ?? 0) & ~0x08;
    }
  }
  const plan = await planOf([{ path: "notes.zip", content: new Blob([bytes]) }]);
  expect(plan.rows.notes.map(({ title }) => title)).toEqual(["caffè"]);
});

/** A worker that gives `answer`, if any. */
function withWorker(answer?: ReadAnswer) {
  const ended = vi.fn();
  class FakeWorker extends EventTarget {
    readonly terminate = ended;
    postMessage() {
      if (answer !== undefined) {
        this.dispatchEvent(new MessageEvent("message", { data: answer }));
      }
    }
  }
  vi.stubGlobal("Worker", FakeWorker);
  onTestFinished(() => void vi.unstubAllGlobals());
  return ended;
}

test("files are read in a worker, which is ended afterwards", async () => {
  const plan = new PlanBuilder(CONTEXT.now).plan(["calendar"]);
  const ended = withWorker({ plan });

  expect(await readInWorker(exported("calendar"), CONTEXT)).toBe(plan);
  expect(ended).toHaveBeenCalledOnce();
});

test("why a worker cannot read the files is said as it says it", async () => {
  withWorker({ error: { message: "This calendar is damaged: {why}", values: { why: "line 3" } } });

  await expect(readInWorker([], CONTEXT)).rejects.toMatchObject({
    text: "This calendar is damaged: {why}",
    values: { why: "line 3" },
  });
});

test("a worker that reads without end is ended", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const ended = withWorker();

  const refused = expect(readInWorker([], CONTEXT)).rejects.toThrow("Reading this takes too long. Import it in parts.");
  await vi.runAllTimersAsync();

  await refused;
  expect(ended).toHaveBeenCalledOnce();
});
