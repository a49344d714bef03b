/** Calendars (iCalendar, RFC 5545): to-dos are tasks, and events are dates of a project's timeline. */
import type { RowOf } from "@adiuva/client/database";
import ICAL from "ical.js";
import { msg } from "../i18n/msg";
import { DAY_MS, startOfDay } from "../parts/days";
import { namesOf } from "../parts/names";
import { UserError } from "../rpc/errors";
import { stemOf } from "./files";
import type { PlanBuilder } from "./plan";
import { momentInZone } from "./zones";

type Task = RowOf["tasks"];

const PRODUCT = "-//Adiuva//Workspace//EN";
const STATUSES: Readonly<Record<Task["status"], string>> = {
  todo: "NEEDS-ACTION",
  in_progress: "IN-PROCESS",
  done: "COMPLETED",
};
const PRIORITIES: Readonly<Record<Task["priority"], number>> = { high: 1, medium: 5, low: 9 };
/** Of an event that repeats, the next ones within a year. */
const OCCURRENCES = 10;
const AHEAD_MS = 366 * DAY_MS;
/** How many moments are tried for an event: a rule may name every second since 1970, or none at all. */
const MOST_STEPS = 50_000;

/** Throws `UserError` if it is no calendar. */
export function addCalendar(builder: PlanBuilder, path: string, text: string, now: number): void {
  for (const calendar of calendarsIn(text)) {
    new CalendarReader(builder, calendar, stemOf(path), now).read();
  }
}

function calendarsIn(text: string): ICAL.Component[] {
  try {
    const parsed: unknown[] = ICAL.parse(text);
    const all = Array.isArray(parsed[0]) ? parsed : [parsed];
    return all.map((each) => new ICAL.Component(each as unknown[]));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new UserError(msg("This calendar is damaged: {why}"), { why }, { cause });
  }
}

class CalendarReader {
  readonly #builder: PlanBuilder;
  readonly #calendar: ICAL.Component;
  readonly #name: string;
  readonly #now: number;
  readonly #isOwn: boolean;

  constructor(builder: PlanBuilder, calendar: ICAL.Component, fileName: string, now: number) {
    this.#builder = builder;
    this.#calendar = calendar;
    this.#name = textIn(calendar, "x-wr-calname") || fileName;
    this.#now = now;
    this.#isOwn = textIn(calendar, "prodid") === PRODUCT;
  }

  read(): void {
    for (const todo of this.#calendar.getAllSubcomponents("vtodo")) {
      this.#guarded(todo, () => this.#todo(todo));
    }
    const events = this.#calendar.getAllSubcomponents("vevent");
    const masters = new Set(events.filter((each) => !each.hasProperty("recurrence-id")).map(uidOf));
    const changed = changedIn(events);
    for (const event of events.filter((each) => !each.hasProperty("recurrence-id") || !masters.has(uidOf(each)))) {
      const exceptions = event.hasProperty("recurrence-id") ? [] : (changed.get(uidOf(event)) ?? []);
      this.#guarded(event, () => this.#event(event, exceptions));
    }
  }

  /** What cannot be read does not keep the rest from being imported. */
  #guarded(component: ICAL.Component, read: () => void): void {
    const title = textIn(component, "summary");
    if (title === "") {
      this.#builder.skip(this.#name, msg("An entry without a title."));
    } else if (textIn(component, "status") === "CANCELLED") {
      this.#builder.skip(title, msg("It was cancelled."));
    } else {
      try {
        read();
      } catch (error) {
        if (error instanceof UserError) {
          this.#builder.skip(title, error.text, error.values);
          return;
        }
        const why = error instanceof Error ? error.message : String(error);
        this.#builder.skip(title, msg("Its date cannot be read: {why}"), { why });
      }
    }
  }

  #todo(todo: ICAL.Component): void {
    const due = todo.getFirstProperty("due") ?? todo.getFirstProperty("dtstart");
    const people = todo.getAllProperties("attendee").flatMap((each) => String(each.getParameter("cn") ?? "") || []);
    if (todo.hasProperty("rrule")) {
      this.#builder.remark(msg("Tasks do not repeat here: the date that the calendar names is imported."));
    }
    this.#builder.task({
      title: textIn(todo, "summary"),
      projectId: this.#project(todo),
      description: [...linesOf(todo, "location"), ...linesOf(todo, "description")].join("\n") || null,
      status: statusOf(textIn(todo, "status"), todo.hasProperty("completed")),
      priority: priorityOf(Number(todo.getFirstPropertyValue("priority") ?? 0)),
      assignee: people.length === 0 ? null : JSON.stringify(people),
      dueDate: due === null ? null : momentOf(due),
      ...this.#identity(todo),
    });
  }

  #event(event: ICAL.Component, exceptions: ICAL.Component[]): void {
    const projectId = this.#project(event);
    const start = event.getFirstProperty("dtstart");
    if (projectId === null || start === null) {
      this.#builder.skip(textIn(event, "summary"), msg("It has no date."));
      return;
    }
    if (textIn(event, "description") !== "" || textIn(event, "location") !== "") {
      this.#builder.remark(
        msg("A date on the timeline has a title alone: places and descriptions of events are not imported."),
      );
    }
    const whole = new ICAL.Event(event, { exceptions });
    const dates = whole.isRecurring()
      ? this.#nextOf(whole, start)
      : [[textIn(event, "summary"), momentOf(start)] as const];
    if (dates.length === 0) {
      this.#builder.skip(textIn(event, "summary"), msg("It repeats, but not within the next year."));
    }
    for (const [title, date] of dates) {
      this.#builder.checkpoint({ title, date, projectId, ...(whole.isRecurring() ? {} : this.#identity(event)) });
    }
  }

  #nextOf(event: ICAL.Event, start: ICAL.Property): (readonly [title: string, date: number])[] {
    this.#builder.remark(msg("Of events that repeat, the next {count} within a year are imported."), {
      count: OCCURRENCES,
    });
    const found: (readonly [string, number])[] = [];
    const steps = boundedSteps(event);
    while (found.length < OCCURRENCES) {
      const next = steps.next();
      if (next === undefined || next === null) {
        break;
      }
      const { item, startDate } = event.getOccurrenceDetails(next);
      const date = momentOfTime(startDate, start.getParameter("tzid"));
      if (date > this.#now + AHEAD_MS) {
        break;
      }
      if (date >= startOfDay(this.#now) && textIn(item.component, "status") !== "CANCELLED") {
        found.push([item.summary || event.summary, date]);
      }
    }
    return found;
  }

  /** In Adiuva's export, categories are projects; elsewhere they are anything. */
  #project(component: ICAL.Component): string | null {
    const category = textIn(component, "categories");
    if (this.#isOwn) {
      return this.#builder.project(category);
    }
    return this.#builder.project(this.#name);
  }

  #identity(component: ICAL.Component): { id?: string; createdAt?: number } {
    const created = component.getFirstProperty("created");
    return this.#isOwn && created !== null ? { id: uidOf(component), createdAt: momentOf(created) } : {};
  }
}

/** The events of single dates that were changed, by the uid of the event that repeats. */
function changedIn(events: readonly ICAL.Component[]): ReadonlyMap<string, ICAL.Component[]> {
  const changed = new Map<string, ICAL.Component[]>();
  for (const event of events.filter((each) => each.hasProperty("recurrence-id"))) {
    const known = changed.get(uidOf(event)) ?? [];
    known.push(event);
    changed.set(uidOf(event), known);
  }
  return changed;
}

function boundedSteps(event: ICAL.Event): ICAL.RecurExpansion {
  for (const property of event.component.getAllProperties("rrule")) {
    const rule = property.getFirstValue() as ICAL.Recur;
    rule.iterator = (dtstart) => new BoundedIterator({ rule, dtstart });
  }
  return event.iterator();
}

/** ical.js alone looks for the next date of a rule that has none without end. */
class BoundedIterator extends ICAL.RecurIterator {
  #steps = 0;

  /** Called for each moment that is tried. */
  override check_contracting_rules(): boolean {
    this.#steps += 1;
    if (this.#steps > MOST_STEPS) {
      throw new UserError(msg("It repeats by a rule that names too many dates, or none."));
    }
    return super.check_contracting_rules();
  }
}

function textIn(component: ICAL.Component, name: string): string {
  return String(component.getFirstPropertyValue(name) ?? "").trim();
}

function linesOf(component: ICAL.Component, name: string): string[] {
  const text = String(component.getFirstPropertyValue(name) ?? "");
  return text.trim() === "" ? [] : [text];
}

function uidOf(component: ICAL.Component): string {
  return textIn(component, "uid");
}

function statusOf(status: string, isCompleted: boolean): Task["status"] {
  if (status === "COMPLETED" || (status === "" && isCompleted)) {
    return "done";
  }
  return status === "IN-PROCESS" ? "in_progress" : "todo";
}

/** 0 is none. */
function priorityOf(priority: number): Task["priority"] {
  if (priority >= 1 && priority <= 4) {
    return "high";
  }
  return priority > 5 ? "low" : "medium";
}

function momentOf(property: ICAL.Property): number {
  const time = property.getFirstValue();
  if (!(time instanceof ICAL.Time)) {
    throw new TypeError(`${property.name} is no time`);
  }
  return momentOfTime(time, property.getParameter("tzid"));
}

/** A day is its midnight here. A time zone that the calendar does not describe is known by its name. */
function momentOfTime(time: ICAL.Time, zone: unknown): number {
  if (time.isDate) {
    return new Date(time.year, time.month - 1, time.day).getTime();
  }
  const isFloating = time.zone === ICAL.Timezone.localTimezone;
  const moment = isFloating && typeof zone === "string" ? momentInZone(time, zone) : null;
  return moment ?? time.toJSDate().getTime();
}

export function writeCalendar(
  rows: { readonly [Table in "tasks" | "checkpoints" | "projects"]: readonly RowOf[Table][] },
  now: number,
): string {
  const projects = new Map(rows.projects.map(({ id, name }) => [id, name]));
  const calendar = new ICAL.Component("vcalendar");
  calendar.addPropertyWithValue("version", "2.0");
  calendar.addPropertyWithValue("prodid", PRODUCT);
  calendar.addPropertyWithValue("x-wr-calname", "Adiuva");
  for (const task of rows.tasks) {
    const todo = entry("vtodo", task, projects.get(task.projectId ?? ""), now);
    if (task.description !== null) {
      todo.addPropertyWithValue("description", task.description);
    }
    todo.addPropertyWithValue("status", STATUSES[task.status]);
    todo.addPropertyWithValue("priority", PRIORITIES[task.priority]);
    if (task.dueDate !== null) {
      todo.addPropertyWithValue("due", timeOf(task.dueDate));
    }
    for (const name of namesOf(task.assignee)) {
      todo.addPropertyWithValue("attendee", "invalid:nomail").setParameter("cn", name);
    }
    calendar.addSubcomponent(todo);
  }
  for (const checkpoint of rows.checkpoints) {
    const event = entry("vevent", checkpoint, projects.get(checkpoint.projectId), now);
    event.addPropertyWithValue("dtstart", timeOf(checkpoint.date));
    calendar.addSubcomponent(event);
  }
  return `${calendar.toString()}\r\n`;
}

function entry(
  kind: "vtodo" | "vevent",
  row: { readonly id: string; readonly title: string; readonly createdAt: number },
  project: string | undefined,
  now: number,
): ICAL.Component {
  const made = new ICAL.Component(kind);
  made.addPropertyWithValue("uid", row.id);
  made.addPropertyWithValue("dtstamp", ICAL.Time.fromJSDate(new Date(now), true));
  made.addPropertyWithValue("created", ICAL.Time.fromJSDate(new Date(row.createdAt), true));
  made.addPropertyWithValue("summary", row.title);
  if (project !== undefined) {
    made.addPropertyWithValue("categories", project);
  }
  return made;
}

/** Midnight here is a day without a time. */
function timeOf(moment: number): ICAL.Time {
  if (moment !== startOfDay(moment)) {
    return ICAL.Time.fromJSDate(new Date(moment), true);
  }
  const date = new Date(moment);
  return ICAL.Time.fromData({
    year: date.getFullYear(),
    month: date.getMonth() + 1,
    day: date.getDate(),
    isDate: true,
  });
}
