/** What an undo is to make of each row: as it was before the changes, unless that is in conflict with later ones. */
import { columnOf, TABLE_NAMES, type TableName } from "../executor/columns.js";
import { REFERENCES } from "../executor/references.js";
import type { Row } from "../executor/values.js";
import type { Orm } from "./database.js";
import { changesRow, entriesWhere } from "./journal.js";
import { type Entry, isAboutText, isSame, type RowChange, type StoredVector } from "./journal_entries.js";
import type { Rows } from "./rows.js";

/** How many rows of a table are named as what a row cannot be removed for. */
const MOST_NAMED = 20;

/** A row as it is `now` and as it is to be, which is `state` in the end. */
export interface Plan {
  readonly table: TableName;
  readonly id: string;
  readonly now: Row | null;
  state: Row | null;
  vector: StoredVector | null;
  isInConflict: boolean;
}

type Plans = Map<string, Plan>;

/** The plan for each row that would be changed by taking back `entries`; these come the newest first. */
export async function planned(
  rows: Rows,
  entries: readonly Entry[],
  /** Called after each change with the number of those that are planned. */
  onPlanned: (done: number) => void = () => undefined,
): Promise<Plans> {
  const plans: Plans = new Map();
  let done = 0;
  for (const { changes } of entries) {
    for (const change of [...changes].reverse()) {
      const key = keyOf(change.table, change.id);
      let plan = plans.get(key);
      if (plan === undefined) {
        const now = await rows.get(change.table, change.id);
        plan = newPlan(change.table, change.id, now, now);
        plans.set(key, plan);
      }
      takeBack(plan, change);
      done += 1;
      onPlanned(done);
    }
  }
  return new Map([...plans].filter(([, { now, state }]) => !isSame(now, state)));
}

/**
 * Lets no row of `plans` go or come back so that one points to a row that is not there: both are in conflict then.
 *
 * A row that has no plan yet gets one: it would have to be without what it points to, or to be there.
 */
export async function keepReferences(orm: Orm, rows: Rows, plans: Plans): Promise<void> {
  // A row that stays as it is may need another one.
  for (let loose = await allLoose(orm, rows, plans); loose.length > 0; loose = await allLoose(orm, rows, plans)) {
    for (const plan of loose) {
      const key = keyOf(plan.table, plan.id);
      const known = plans.get(key) ?? plan;
      known.isInConflict = true;
      plans.set(key, known);
    }
  }
}

/** The rows that cannot be as planned together. */
async function allLoose(orm: Orm, rows: Rows, plans: Plans): Promise<Plan[]> {
  const loose: Plan[] = [];
  for (const plan of [...plans.values()].filter(({ isInConflict }) => !isInConflict)) {
    const found = plan.state === null ? await users(rows, plans, plan) : await missing(orm, rows, plans, plan);
    loose.push(...(found.length > 0 ? [plan, ...found] : []));
  }
  return loose;
}

/** The rows that would still point to the one of `plan`. */
async function users(rows: Rows, plans: Plans, { table: to, id }: Plan): Promise<Plan[]> {
  const found: Plan[] = [];
  for (const table of TABLE_NAMES.filter((each) => REFERENCES[each].to === to)) {
    const { column } = REFERENCES[table];
    found.push(...[...plans.values()].filter((plan) => plan.table === table && outcomeOf(plan)?.[column] === id));
    const pointing = await rows.pointingTo(id, table, column, MOST_NAMED + plans.size);
    const others = pointing.filter((row) => !plans.has(keyOf(table, String(row.id))));
    found.push(
      ...others.slice(0, MOST_NAMED).map((row) => newPlan(table, String(row.id), row, without(table, row, column))),
    );
  }
  return found;
}

function without(table: TableName, row: Row, column: string): Row | null {
  return columnOf(table, column).required ? null : { ...row, [column]: null };
}

/** The row that the one of `plan` would point to, if it has been deleted; one that never was is not the journal's. */
async function missing(orm: Orm, rows: Rows, plans: Plans, { table, now, state }: Plan): Promise<Plan[]> {
  const { column, to } = REFERENCES[table];
  const id = state?.[column];
  if (typeof id !== "string" || now?.[column] === id) {
    return [];
  }
  const target = plans.get(keyOf(to, id));
  if (target !== undefined) {
    return outcomeOf(target) === null ? [target] : [];
  }
  const last = (await rows.get(to, id)) === null ? await lastKnown(orm, to, id) : null;
  return last === null ? [] : [newPlan(to, id, null, last)];
}

/** The row as it was in the latest entry of the journal that changed it. */
async function lastKnown(orm: Orm, table: TableName, id: string): Promise<Row | null> {
  for (const { changes } of await entriesWhere(orm, changesRow(id))) {
    const change = changes.findLast((each) => each.table === table && each.id === id);
    if (change !== undefined) {
      return change.after ?? change.before;
    }
  }
  return null;
}

function takeBack(plan: Plan, change: RowChange): void {
  // It may be as it was before already, as when the user has deleted what was inserted.
  if (!isSame(plan.state, change.after) && !isSame(plan.state, change.before)) {
    plan.isInConflict = true;
  }
  plan.state = change.before;
  if (isAboutText(change)) {
    plan.vector = change.vector ?? null;
  }
}

/** The row as it will be. */
function outcomeOf({ now, state, isInConflict }: Plan): Row | null {
  return isInConflict ? now : state;
}

function newPlan(table: TableName, id: string, now: Row | null, state: Row | null): Plan {
  return { table, id, now, state, vector: null, isInConflict: false };
}

function keyOf(table: TableName, id: string): string {
  return `${table} ${id}`;
}
