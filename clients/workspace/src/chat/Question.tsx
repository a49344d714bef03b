/** What the server asks before it changes something: what would change, and yes or no. */
import type { ApprovalRequest } from "@adiuva/client";
import { useKeeper, useTask } from "../line/LineProvider";
import { valueShown } from "./values";

type Row = Readonly<Record<string, unknown>> | null;

export function Question({ request }: { request: ApprovalRequest }) {
  const keeper = useKeeper();
  const { run, isBusy, error } = useTask();
  const answer = (approved: boolean, remember = false) => {
    void run(() => keeper.answer(request.id, { approved, remember }));
  };
  return (
    <section className={`question ${request.risk}`} aria-label="May this be done?">
      <p>{request.summary}</p>
      {request.preview && <BeforeAfter before={request.preview.before} after={request.preview.after} />}
      <div className="row">
        <button
          type="button"
          className={request.risk === "destructive" ? "button danger" : "button primary"}
          disabled={isBusy}
          onClick={() => answer(true)}
        >
          {request.risk === "destructive" ? "Yes, delete" : "Yes, do it"}
        </button>
        <button type="button" className="button" disabled={isBusy} onClick={() => answer(false)}>
          No
        </button>
        {request.risk === "write" && (
          <button type="button" className="button quiet" disabled={isBusy} onClick={() => answer(true, true)}>
            Yes, and do not ask again
          </button>
        )}
      </div>
      {error !== "" && <p className="alert">{error}</p>}
    </section>
  );
}

export function BeforeAfter({ before, after }: { before: Row; after: Row }) {
  return (
    <div className="before-after">
      <Side name="Before" row={before} other={after} nothing="There is none yet." />
      <Side name="After" row={after} other={before} nothing="Gone for good." />
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
      <dt>{NAMES[column] ?? column}</dt>
      <dd className={isChanged ? "changed" : undefined}>{valueShown(column, value)}</dd>
    </>
  );
}

/** What says nothing to a person. */
const HIDDEN: ReadonlySet<string> = new Set(["id", "projectId", "taskId", "clientId", "isAiSuggested", "isApproved"]);

const NAMES: Readonly<Record<string, string>> = {
  title: "Title",
  name: "Name",
  description: "Description",
  content: "Text",
  status: "Status",
  priority: "Priority",
  assignee: "Who",
  dueDate: "Due",
  date: "Date",
  createdAt: "Made",
  updatedAt: "Changed",
  author: "By",
  aiSummary: "Summary",
};
