import type { RowOf } from "@adiuva/client/database";
import { useMemo, useState } from "react";
import { Link, useLocation } from "wouter";
import { GanttStrip, type Lane } from "../blocks/GanttStrip";
import { useContextualScope } from "../chat/ContextualChatProvider";
import { Markdown } from "../chat/Markdown";
import { ConfirmButton } from "../parts/ConfirmButton";
import { counted } from "../parts/counted";
import { EmptyState } from "../parts/EmptyState";
import { HeadingInput } from "../parts/HeadingInput";
import { PageFrame } from "../parts/PageFrame";
import { Problem } from "../parts/Problem";
import { useRow, useRows, useStore, useTask } from "../rpc/RpcProvider";
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
    return <PageFrame title="Project">{null}</PageFrame>;
  }
  if (project === null) {
    return (
      <PageFrame title="Project">
        <p>
          There is no such project any more. <Link href="/projects">All projects</Link>
        </p>
      </PageFrame>
    );
  }
  return <Project key={id} project={project} />;
}

function Count({ of }: { of: readonly unknown[] | null }) {
  return of !== null && of.length > 0 && <span className="count">{of.length}</span>;
}

function Project({ project }: { project: RowOf["projects"] }) {
  const { id, name } = project;
  const store = useStore();
  const [, go] = useLocation();
  const { run, isBusy, error } = useTask();
  const [adding, setAdding] = useState<"task" | "checkpoint">();
  const tasks = useRows("tasks", { projectId: id, orderBy: "dueDate" });
  const notes = useRows("notes", { projectId: id });
  const checkpoints = useRows("checkpoints", { projectId: id, orderBy: "date" });
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
          label="Name of the project"
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
        <EmptyState line="This project is empty. Add something below, or say what there is to do:" offersData={false} />
      )}
      {counts.tasks > FEW && (
        <nav className="jumps" aria-label="Parts of the project">
          <a href="#tasks">{counted(counts.tasks, "task")}</a>
          <a href="#checkpoints">{counted(counts.milestones, "checkpoint")}</a>
          <a href="#notes">{counted(counts.notes, "note")}</a>
        </nav>
      )}
      <section className="section" id="tasks">
        <h2>
          Tasks <Count of={tasks} />
          <button type="button" className="button" onClick={() => setAdding("task")}>
            Add a task
          </button>
        </h2>
        {tasks !== null && tasks.length > 0 && <TaskList tasks={tasks} />}
      </section>
      <section className="section" id="checkpoints">
        <h2>
          Checkpoints <Count of={checkpoints} />
          <button type="button" className="button" onClick={() => setAdding("checkpoint")}>
            Add a checkpoint
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
          Notes <Count of={notes} />
          <button type="button" className="button" onClick={() => go(`/notes/new?project=${id}`)}>
            Add a note
          </button>
        </h2>
        {notes !== null && notes.length > 0 && <NoteCards notes={notes} level={3} />}
      </section>
      <section className="row" aria-label="The whole project">
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
          {project.status === "archived" ? "Unarchive" : "Archive"}
        </button>
        <ConfirmButton
          isDangerous
          name="Delete with everything in it"
          question="Delete this project with its tasks, checkpoints and notes?"
          yes="Yes, delete all of it"
          act={async () => {
            await store.remove("projects", id);
            go("/projects");
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
