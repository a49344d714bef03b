import type { RowOf } from "@adiuva/client/database";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import { GanttStrip } from "../blocks/GanttStrip";
import { useContextualScope } from "../chat/ContextualChatProvider";
import { Markdown } from "../chat/Markdown";
import { useKeeper, useRow, useRows, useTask } from "../line/LineProvider";
import { dayShown } from "../parts/dates";
import { EmptyState } from "../parts/EmptyState";
import { excerptOf } from "../parts/excerpt";
import { HeadingInput } from "../parts/HeadingInput";
import { PageFrame } from "../parts/PageFrame";
import { CheckpointDialog } from "./CheckpointDialog";
import { DeleteButton, TaskDialog } from "./TaskDialog";
import { TaskRow } from "./TaskList";

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

function Project({ project }: { project: RowOf["projects"] }) {
  const { id, name } = project;
  const keeper = useKeeper();
  const [, go] = useLocation();
  const { run, isBusy, error } = useTask();
  const [adding, setAdding] = useState<"task" | "checkpoint">();
  const tasks = useRows("tasks", { projectId: id, orderBy: "dueDate" });
  const notes = useRows("notes", { projectId: id });
  const checkpoints = useRows("checkpoints", { projectId: id, orderBy: "date" });
  const isKnown = tasks !== null && notes !== null && checkpoints !== null;
  const counts = { tasks: tasks?.length ?? 0, notes: notes?.length ?? 0, milestones: checkpoints?.length ?? 0 };
  useContextualScope(
    isKnown ? { page: "project", entityType: "project", entityId: id, entityName: name, counts } : null,
  );
  const isEmpty = isKnown && counts.tasks + counts.notes + counts.milestones === 0;
  const addNote = async () => {
    await run(async () => go(`/notes/${(await keeper.insert("notes", { title: "New note", projectId: id })).id}`));
  };
  return (
    <PageFrame
      title={name}
      heading={
        <HeadingInput
          label="Name of the project"
          value={name}
          onSave={(given) => void run(() => keeper.update("projects", id, { name: given }))}
        />
      }
    >
      {error !== "" && <p className="alert">{error}</p>}
      {project.aiSummary !== null && (
        <section className="section">
          <Markdown text={project.aiSummary} />
        </section>
      )}
      {isEmpty && (
        <EmptyState
          line="Nothing is in this project yet. Add something below, or say what there is to do:"
          offersData={false}
        />
      )}
      <section className="section">
        <h2>
          Tasks
          <button type="button" className="button" onClick={() => setAdding("task")}>
            Add a task
          </button>
        </h2>
        <ul className="plain">
          {tasks?.map((task) => (
            <li key={task.id}>
              <TaskRow task={task} keeper={keeper} />
            </li>
          ))}
        </ul>
      </section>
      <section className="section">
        <h2>
          Checkpoints
          <button type="button" className="button" onClick={() => setAdding("checkpoint")}>
            Add a checkpoint
          </button>
        </h2>
        {checkpoints !== null && checkpoints.length > 0 && (
          <div className="block">
            <GanttStrip lanes={checkpoints.map((each) => ({ ...each, entity: "checkpoint" }))} />
          </div>
        )}
      </section>
      <section className="section">
        <h2>
          Notes
          <button type="button" className="button" disabled={isBusy} onClick={() => void addNote()}>
            Add a note
          </button>
        </h2>
        <ul className="cards">
          {notes?.map((note) => (
            <li key={note.id}>
              <Link className="card" href={`/notes/${note.id}`}>
                <h3>{note.title}</h3>
                <p>{excerptOf(note.content)}</p>
                <span className="small muted">{dayShown(note.updatedAt)}</span>
              </Link>
            </li>
          ))}
        </ul>
      </section>
      <section className="row" aria-label="The whole project">
        <button
          type="button"
          className="button"
          disabled={isBusy}
          onClick={() =>
            void run(() =>
              keeper.update("projects", id, { status: project.status === "archived" ? "active" : "archived" }),
            )
          }
        >
          {project.status === "archived" ? "Take out of the archive" : "Archive"}
        </button>
        <DeleteButton
          isBusy={isBusy}
          name="Delete with everything in it"
          onDelete={async () => (await run(() => keeper.remove("projects", id))) && go("/projects")}
        />
      </section>
      {adding === "task" && <TaskDialog task={null} projectId={id} onClose={() => setAdding(undefined)} />}
      {adding === "checkpoint" && (
        <CheckpointDialog checkpoint={null} projectId={id} onClose={() => setAdding(undefined)} />
      )}
    </PageFrame>
  );
}
