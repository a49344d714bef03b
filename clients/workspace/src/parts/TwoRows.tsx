/** Two states of a row beside each other, with what differs between them. */
import { REFERENCES } from "@adiuva/client";
import { msg, t } from "../i18n/translate";
import type { TableName } from "../rpc/messages";
import { useRow } from "../rpc/RpcProvider";
import { valueShown } from "./values";

/** Null where there is no row. */
export type Row = Readonly<Record<string, unknown>> | null;

export function TwoRows({
  one,
  other,
  names,
  nothing,
}: {
  one: Row;
  other: Row;
  names: readonly [string, string];
  /** Shown instead of a row that does not exist. */
  nothing: readonly [string, string];
}) {
  return (
    <div className="before-after">
      <Side name={names[0]} row={one} other={other} nothing={nothing[0]} />
      <Side name={names[1]} row={other} other={one} nothing={nothing[1]} />
    </div>
  );
}

function Side({ name, row, other, nothing }: { name: string; row: Row; other: Row; nothing: string }) {
  return (
    <div>
      <h2>{name}</h2>
      {row === null ? (
        <p className="small">{nothing}</p>
      ) : (
        <dl>
          {Object.entries(row)
            .filter(([column, value]) => !HIDDEN.has(column) && (value !== null || other?.[column]))
            .filter(([column, value]) => !(column in TABLES) || (other !== null && other[column] !== value))
            .map(([column, value]) => (
              <Value key={column} column={column} value={value} isChanged={other !== null && other[column] !== value} />
            ))}
        </dl>
      )}
    </div>
  );
}

function Value({ column, value, isChanged }: { column: string; value: unknown; isChanged: boolean }) {
  return (
    <>
      <dt>{t(NAMES[column] ?? column)}</dt>
      <dd className={isChanged ? "changed" : undefined}>
        {column in TABLES && typeof value === "string" ? (
          <RowName table={TABLES[column] ?? "projects"} id={value} />
        ) : (
          valueShown(column, value)
        )}
      </dd>
    </>
  );
}

/** What a row that another points to is called. */
function RowName({ table, id }: { table: TableName; id: string }) {
  const row: Row | undefined = useRow(table, id);
  return row === null ? t("It is deleted.") : String(row?.title ?? row?.name ?? "…");
}

/** Columns that refer to another row, and its table. They are shown only where they differ. */
const TABLES: Readonly<Record<string, TableName>> = Object.fromEntries(
  Object.values(REFERENCES).map(({ column, to }) => [column, to]),
);

/** Columns that mean nothing to a user. */
const HIDDEN: ReadonlySet<string> = new Set(["id", "isAiSuggested", "isApproved"]);

const NAMES: Readonly<Record<string, string>> = {
  title: msg("Title"),
  name: msg("Name"),
  description: msg("Description"),
  content: msg("Text"),
  status: msg("Status"),
  priority: msg("Priority"),
  assignee: msg("Who"),
  dueDate: msg("Due"),
  date: msg("Date"),
  createdAt: msg("Made"),
  updatedAt: msg("Changed"),
  projectId: msg("Project"),
  taskId: msg("Task"),
  clientId: msg("Client"),
  parentId: msg("Client"),
  author: msg("By"),
  aiSummary: msg("Summary"),
};
