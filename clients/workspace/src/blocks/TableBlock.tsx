/** A table of an answer. Rows that name a task of the answer show it as it is now, and can be ticked. */

import type { RowOf } from "@adiuva/client/database";
import { useState } from "react";
import { Link } from "wouter";
import { namesTask, useTasksOfAnswer } from "../chat/tasks_of_answer";
import { numberShown } from "../i18n/formats";
import { t } from "../i18n/translate";
import { dueShown } from "../parts/dates";
import { priorityShown, statusShown } from "../parts/values";
import { addressOf } from "./addresses";
import { amountShown } from "./chart_data";
import { useLiveRows } from "./live_rows";
import { TaskTick } from "./TaskTick";

/** Longer tables show this many rows until the user asks for the rest. */
const SHOWN_ROWS = 30;

type Cell = string | number | boolean | null;

export interface TableData {
  readonly headers: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

export function TableBlock({ data }: { data: TableData }) {
  const [isWhole, setWhole] = useState(false);
  const tasks = useTasksOfAnswer();
  const rows = isWhole ? data.rows : data.rows.slice(0, SHOWN_ROWS);
  const named = rows.map((row) => tasks.get(String(row.find((cell) => namesTask(tasks, cell)) ?? "").trim()));
  const live = useLiveRows(
    "tasks",
    named.filter((id) => id !== undefined),
  );
  return (
    <section className="block">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className="scrolls-wide" tabIndex={0} aria-label={t("Table")}>
        <table className="data">
          <thead>
            <tr>
              {data.headers.map((header, index) => (
                <th key={index} scope="col">
                  {header}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, index) => {
              const task = live.get(named[index] ?? "") ?? null;
              return (
                <tr key={index} className={task?.status === "done" ? "done" : undefined}>
                  {row.map((cell, column) => (
                    <td key={column} className={typeof cell === "number" ? "number" : undefined}>
                      {task === null ? (
                        cellShown(cell)
                      ) : (
                        <LiveCell
                          task={task}
                          header={data.headers[column] ?? ""}
                          cell={cell}
                          isName={namesTask(tasks, cell)}
                        />
                      )}
                    </td>
                  ))}
                </tr>
              );
            })}
          </tbody>
        </table>
      </section>
      {rows.length < data.rows.length && (
        <button type="button" className="button quiet" onClick={() => setWhole(true)}>
          {t("Show all {count} rows", { count: numberShown(data.rows.length) })}
        </button>
      )}
    </section>
  );
}

function cellShown(cell: Cell): string {
  return cell === null ? "" : typeof cell === "number" ? amountShown(cell) : String(cell);
}

/** Headers that models write, in English and Italian, of columns that a task has. */
const COLUMNS: Readonly<Record<string, (task: RowOf["tasks"]) => string>> = {
  status: ({ status }) => statusShown(status),
  stato: ({ status }) => statusShown(status),
  priority: ({ priority }) => priorityShown(priority),
  priorità: ({ priority }) => priorityShown(priority),
  due: ({ dueDate }) => (dueDate === null ? "" : dueShown(dueDate)),
  "due date": ({ dueDate }) => (dueDate === null ? "" : dueShown(dueDate)),
  scadenza: ({ dueDate }) => (dueDate === null ? "" : dueShown(dueDate)),
};

function LiveCell({
  task,
  header,
  cell,
  isName,
}: {
  task: RowOf["tasks"];
  header: string;
  cell: Cell;
  isName: boolean;
}) {
  if (isName) {
    return (
      <span className="live-name">
        <TaskTick id={task.id} title={task.title} status={task.status} />
        <Link href={addressOf("task", task.id)}>{task.title}</Link>
      </span>
    );
  }
  return COLUMNS[header.trim().toLowerCase()]?.(task) ?? cellShown(cell);
}
