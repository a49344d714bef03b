import type { RowOf } from "@adiuva/client/database";
import { useMemo, useState } from "react";
import { Link, useLocation } from "wouter";
import { GanttStrip, type Lane } from "../blocks/GanttStrip";
import { useContextualScope } from "../chat/ContextualChatProvider";
import { Markdown } from "../chat/Markdown";
import { numberShown } from "../i18n/formats";
import { T, t } from "../i18n/translate";
import { ConfirmButton } from "../parts/ConfirmButton";
import { EmptyState } from "../parts/EmptyState";
import { HeadingInput } from "../parts/HeadingInput";
import { PageFrame } from "../parts/PageFrame";
import { Problem } from "../parts/Problem";
import { byDueDate, type Order, sortedBy } from "../parts/sorting";
import { useIsMounted } from "../parts/useIsMounted";
import { countOf } from "../parts/words";
import { useRow, useStore, useTask } from "../rpc/RpcProvider";
import { useTable } from "../rpc/tables";
import { CheckpointDialog } from "./CheckpointDialog";
import { NeverSharedMark } from "./NeverSharedMark";
import { NoteCards } from "./NoteCards";
import { TaskDialog } from "./TaskDialog";
import { TaskList } from "./TaskList";

/** With more tasks than this, the page offers links past them. */
const FEW = 12;

export function ProjectPage({ id }: { id: string }) {
  const project = useRow("projects", id);
  if (project === undefined) {
    return <PageFrame title={t("Project")} isLoading />;
  }
  if (project === null) {
    return (
      <PageFrame title={t("Project")}>
        <p>
          <T
            text="There is no such project any more. <0>All projects</0>"
            elements={[<Link key="all" href="/projects" />]}
          />
        </p>
      </PageFrame>
    );
  }
  return <Project key={id} project={project} />;
}

/** The rows of a project, by `order` or in the order in which they were made; null until they are loaded. */
function useRowsOf<T extends "tasks" | "notes" | "checkpoints">(
  table: T,
  projectId: string,
  order?: Order<RowOf[T]>,
): readonly RowOf[T][] | null {
  const all = useTable(table);
  return useMemo(() => {
    const rows = all !== null && order !== undefined ? sortedBy(all, order) : all;
    return rows?.filter((row) => row.projectId === projectId) ?? null;
  }, [all, projectId, order]);
}

function Count({ of }: { of: readonly unknown[] | null }) {
  return of !== null && of.length > 0 && <span className="count">{numberShown(of.length)}</span>;
}

function Project({ project }: { project: RowOf["projects"] }) {
  const { id, name } = project;
  const store = useStore();
  const [, go] = useLocation();
  const { run, isBusy, error } = useTask();
  const isMounted = useIsMounted();
  const [adding, setAdding] = useState<"task" | "checkpoint">();
  const tasks = useRowsOf("tasks", id, byDueDate);
  const notes = useRowsOf("notes", id);
  const checkpoints = useRowsOf("checkpoints", id);
  const isKnown = tasks !== null && notes !== null && checkpoints !== null;
  const lanes = useMemo(
    () => (checkpoints ?? []).map(({ id, title, date }): Lane => ({ id, title, date, entity: "checkpoint" })),
    [checkpoints],
  );
  const counts = { tasks: tasks?.length ?? 0, notes: notes?.length ?? 0, milestones: checkpoints?.length ?? 0 };
  useContextualScope(
    isKnown ? { page: "project", entityType: "project", entityId: id, entityName: name, counts } : null,
  );
  const isEmpty = isKnown && counts.tasks + counts.notes + counts.milestones === 0;
  return (
    <PageFrame
      title={name}
      actions={<NeverSharedMark projectId={id} />}
      heading={
        <HeadingInput
          label={t("Name of the project")}
          value={name}
          onSave={(given) => void run(() => store.update("projects", id, { name: given }))}
        />
      }
    >
      <Problem error={error} />
      {project.aiSummary !== null && (
        <section className="section">
          <Markdown text={project.aiSummary} />
        </section>
      )}
      {isEmpty && (
        <EmptyState
          line={t("This project is empty. Add something below, or say what there is to do:")}
          offersData={false}
        />
      )}
      {counts.tasks > FEW && (
        <nav className="jumps" aria-label={t("Parts of the project")}>
          <a href="#tasks">{countOf("tasks", counts.tasks)}</a>
          <a href="#checkpoints">{countOf("checkpoints", counts.milestones)}</a>
          <a href="#notes">{countOf("notes", counts.notes)}</a>
        </nav>
      )}
      <section className="section" id="tasks">
        <h2>
          {t("Tasks")} <Count of={tasks} />
          <button type="button" className="button" onClick={() => setAdding("task")}>
            {t("Add a task")}
          </button>
        </h2>
        {tasks !== null && tasks.length > 0 && <TaskList tasks={tasks} />}
      </section>
      <section className="section" id="checkpoints">
        <h2>
          {t("Checkpoints")} <Count of={checkpoints} />
          <button type="button" className="button" onClick={() => setAdding("checkpoint")}>
            {t("Add a checkpoint")}
          </button>
        </h2>
        {checkpoints !== null && checkpoints.length > 0 && (
          <div className="block">
            <GanttStrip lanes={lanes} />
          </div>
        )}
      </section>
      <section className="section" id="notes">
        <h2>
          {t("Notes")} <Count of={notes} />
          <button type="button" className="button" onClick={() => go(`/notes/new?project=${id}`)}>
            {t("Add a note")}
          </button>
        </h2>
        {notes !== null && notes.length > 0 && <NoteCards notes={notes} level={3} />}
      </section>
      <section className="row" aria-label={t("The whole project")}>
        <button
          type="button"
          className="button"
          disabled={isBusy}
          onClick={() =>
            void run(() =>
              store.update("projects", id, { status: project.status === "archived" ? "active" : "archived" }),
            )
          }
        >
          {project.status === "archived" ? t("Unarchive") : t("Archive")}
        </button>
        <ConfirmButton
          isDangerous
          name={t("Delete with everything in it")}
          question={t("Delete this project with its tasks, checkpoints and notes?")}
          yes={t("Yes, delete all of it")}
          act={async () => {
            await store.remove("projects", id);
            if (isMounted.current) {
              go("/projects");
            }
          }}
        />
      </section>
      {adding === "task" && <TaskDialog task={null} projectId={id} onClose={() => setAdding(undefined)} />}
      {adding === "checkpoint" && (
        <CheckpointDialog checkpoint={null} projectId={id} onClose={() => setAdding(undefined)} />
      )}
    </PageFrame>
  );
}
