/** Two states of a row beside each other, with what differs between them. */
import { msg, t } from "../i18n/translate";
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
      <dd className={isChanged ? "changed" : undefined}>{valueShown(column, value)}</dd>
    </>
  );
}

/** Columns that mean nothing to a user. */
const HIDDEN: ReadonlySet<string> = new Set(["id", "projectId", "taskId", "clientId", "isAiSuggested", "isApproved"]);

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
  author: msg("By"),
  aiSummary: msg("Summary"),
};
