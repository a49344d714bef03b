/** The calls and answers that every executor shares (clients/conformance), run against this one. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { DrizzleExecutor, type Tables } from "../../src/database/index.js";
import type { TableName } from "../../src/executor/columns.js";
import type { Call } from "../../src/index.js";
import { CONNECTIONS, openTables, SetClock } from "./bench.js";

interface Change {
  action: "insert" | "update" | "delete";
  table: TableName;
  data: Record<string, unknown>;
}

interface Step {
  call: Record<string, unknown>;
  by_hand?: Change[];
  answer?: unknown;
  count?: number;
  as?: string;
  at?: number;
  max_bytes?: number;
}

interface Case {
  name: string;
  given?: { table: string; row: Record<string, unknown>; as?: string; at?: number; times?: number }[];
  steps: Step[];
}

type Named = Record<string, Record<string, unknown>>;

const FOLDER = path.resolve(import.meta.dirname, "../../../conformance");
const CASES = readdirSync(FOLDER)
  .filter((file) => file.endsWith(".json"))
  .flatMap((file) =>
    (JSON.parse(readFileSync(path.join(FOLDER, file), "utf8")) as Case[]).map(
      (each) => [`${file}: ${each.name}`, each] as const,
    ),
  );

const EVERY = Object.keys(CONNECTIONS).flatMap((driver) => CASES.map(([name, each]) => [driver, name, each] as const));

test.each(EVERY)("%s answers as every executor does: %s", async (driver, _name, { given = [], steps }) => {
  const clock = new SetClock();
  const tables = await openTables(await (CONNECTIONS[driver] ?? expect.fail)(), clock);
  const executor = new DrizzleExecutor(tables);
  const named: Named = {};
  let calls = 0;

  async function answered(step: Step): Promise<Record<string, unknown>> {
    clock.time = step.at ?? clock.time;
    calls += 1;
    const call = { id: `call ${calls}`, ...(resolved(step.call, named) as object) } as unknown as Call;
    const answer = (await executor.execute(call, { maxBytes: step.max_bytes ?? 4 * 1024 * 1024 })) as Record<
      string,
      unknown
    >;
    if (step.as !== undefined) {
      named[step.as] = answer.row as Record<string, unknown>;
    }
    return answer;
  }

  for (const { table, row, times = 1, ...rest } of given) {
    for (let time = 0; time < times; time += 1) {
      expect(await answered({ ...rest, call: { action: "insert", table, data: row, by: "given" } })).toHaveProperty(
        "row",
      );
    }
  }
  for (const step of steps) {
    if (step.by_hand !== undefined) {
      clock.time = step.at ?? clock.time;
      await changeByHand(tables, resolved(step.by_hand, named) as Change[]);
      continue;
    }
    const answer = await answered(step);
    if (step.count === undefined) {
      expect(answer).toStrictEqual(wanted(resolved(step.answer, named)));
    } else {
      expect(answer.rows).toHaveLength(step.count);
    }
  }
});

async function changeByHand(tables: Tables, changes: readonly Change[]): Promise<void> {
  await tables.together(async (rows) => {
    for (const { action, table, data } of changes) {
      if (action === "insert") {
        await rows.insert(table, data);
      } else if (action === "update") {
        await rows.update(table, String(data.id), data.updates as Record<string, unknown>);
      } else {
        await rows.delete(table, String(data.id));
      }
    }
  });
}

function resolved(value: unknown, named: Named): unknown {
  if (typeof value === "string" && value.startsWith("@")) {
    const [name = "", column] = value.slice(1).split(".");
    return column === undefined ? named[name] : named[name]?.[column];
  }
  if (Array.isArray(value)) {
    return value.map((each) => resolved(each, named));
  }
  if (typeof value === "object" && value !== null) {
    const { "...": spread, ...rest } = value as Record<string, unknown>;
    // Not by assignment: a key may be __proto__.
    const given = Object.fromEntries(Object.entries(rest).map(([name, each]) => [name, resolved(each, named)]));
    return spread === undefined ? given : { ...(resolved(spread, named) as object), ...given };
  }
  return value;
}

/** The answer as vitest compares it: any id, and scores to five decimals. */
function wanted(value: unknown, name = ""): unknown {
  if (value === "<id>") {
    return expect.stringMatching(/./);
  }
  if (name === "score") {
    return expect.closeTo(value as number, 5);
  }
  if (Array.isArray(value)) {
    return value.map((each) => wanted(each));
  }
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, wanted(each, key)]));
  }
  return value;
}
