import { expect, test } from "vitest";
import { type Context, readQuickTask } from "../src/palette/quick_add";

const NOW = new Date(2026, 10, 24, 20, 0).getTime();
const PROJECTS = [
  { id: "p1", name: "Website" },
  { id: "p2", name: "Web" },
  { id: "p3", name: "New house" },
];

function read(text: string, given: Partial<Context> = {}) {
  return readQuickTask(text, { now: NOW, language: "en", projects: PROJECTS, ...given });
}

function at(month: number, day: number, hour = 0, minute = 0): number {
  return new Date(month < 11 ? 2027 : 2026, month - 1, day, hour, minute).getTime();
}

test("a line becomes a task with everything that it says", () => {
  expect(read("Call Anna tomorrow 5pm #Website !high @Marco")).toMatchObject({
    title: "Call Anna",
    dueDate: at(11, 25, 17),
    projectId: "p1",
    newProject: null,
    priority: "high",
    people: ["Marco"],
  });
  expect(read("Chiama Anna domani alle 17 #sito !alta @Marco @Giulia", { language: "it" })).toMatchObject({
    title: "Chiama Anna",
    dueDate: at(11, 25, 17),
    projectId: null,
    newProject: "sito",
    priority: "high",
    people: ["Marco", "Giulia"],
  });
});

test.each([
  ["tomorrow", at(11, 25)],
  ["day after tomorrow", at(11, 26)],
  ["by friday at 9:30", at(11, 27, 9, 30)],
  ["next monday", at(11, 30)],
  ["in 3 days", at(11, 27)],
  ["in two weeks", at(12, 8)],
  ["3 december", at(12, 3)],
  ["3/12", at(12, 3)],
  ["on the 15th", at(12, 15)],
  ["end of month", at(11, 30)],
  ["in half an hour", at(11, 24, 20, 30)],
  ["tomorrow at half past 9", at(11, 25, 9, 30)],
  ["tomorrow at quarter to 6 pm", at(11, 25, 17, 45)],
  ["2026-12-01", at(12, 1)],
])("English: %s", (said, moment) => {
  expect(read(`Pay rent ${said}`)).toMatchObject({ title: "Pay rent", dueDate: moment });
});

test.each([
  ["domani", at(11, 25)],
  ["dopodomani", at(11, 26)],
  ["dopo domani", at(11, 26)],
  ["entro venerdì alle 9:30", at(11, 27, 9, 30)],
  ["lunedì prossimo", at(11, 30)],
  ["tra 3 giorni", at(11, 27)],
  ["fra due settimane", at(12, 8)],
  ["il 3 dicembre", at(12, 3)],
  ["3/12", at(12, 3)],
  ["il 15", at(12, 15)],
  ["fine mese", at(11, 30)],
  ["tra mezz'ora", at(11, 24, 20, 30)],
  ["domani alle 5 del pomeriggio", at(11, 25, 17)],
  ["domani a mezzogiorno", at(11, 25, 12)],
  ["lunedì alle 9 e mezza", at(11, 30, 9, 30)],
  ["domani alle 9 meno un quarto", at(11, 25, 8, 45)],
  ["domani all’una e un quarto", at(11, 25, 1, 15)],
  ["domani alle 5 e mezza del pomeriggio", at(11, 25, 17, 30)],
])("Italian: %s", (said, moment) => {
  const task = read(`Paga affitto ${said}`, { language: "it" });
  expect(task).toMatchObject({ title: "Paga affitto" });
  expect(new Date(task.dueDate ?? 0)).toEqual(new Date(moment));
  // Also by someone whose interface is in English.
  expect(read(`Paga affitto ${said}`).dueDate).toBe(moment);
});

test.each([
  "Read chapter 5",
  "Buy sun cream",
  "Buy 2 litres of milk",
  "Set the table",
  "Call 555 1234",
  "Email a#b !",
  "Mail an@na",
])("%s is a title and nothing else", (text) => {
  expect(read(text)).toMatchObject({ title: text, dueDate: null, projectId: null, newProject: null, understood: [] });
});

test("a project is named by its whole name, its beginning or one of its words, in upper or lower case", () => {
  expect(read("Paint #new HOUSE wall")).toMatchObject({ title: "Paint wall", projectId: "p3" });
  expect(read("Paint #house")).toMatchObject({ title: "Paint", projectId: "p3" });
  expect(read("Paint #web")).toMatchObject({ projectId: "p2" });
  expect(read("Paint #webs")).toMatchObject({ projectId: "p1" });
  expect(read('Paint #"Summer house"')).toMatchObject({ title: "Paint", newProject: "Summer house" });
});

test("what the user rejects stays in the title, and the next date counts", () => {
  const text = "Watch Tomorrow by friday !high";
  expect(read(text).understood.map((each) => each.text)).toEqual(["Tomorrow", "!high"]);
  expect(read(text, { kept: new Set(["Tomorrow", "!high"]) })).toMatchObject({
    title: "Watch Tomorrow !high",
    dueDate: at(11, 27),
    priority: "medium",
  });
});
