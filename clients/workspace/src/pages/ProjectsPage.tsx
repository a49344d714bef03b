import { type FormEvent, useState } from "react";
import { Link } from "wouter";
import { useContextualScope } from "../chat/ContextualChatProvider";
import { useKeeper, useRows, useTask } from "../line/LineProvider";
import { Dialog } from "../parts/Dialog";
import { EmptyState } from "../parts/EmptyState";
import { Field } from "../parts/Field";
import { PageFrame } from "../parts/PageFrame";

export function ProjectsPage() {
  const [hasArchived, setArchived] = useState(false);
  const [isNew, setNew] = useState(false);
  const projects = useRows("projects", hasArchived ? { includeArchived: true, orderBy: "name" } : { orderBy: "name" });
  const tasks = useRows("tasks");
  useContextualScope({ page: "projects-list", entityType: null });
  const openTasks = (id: string) =>
    tasks?.filter(({ projectId, status }) => projectId === id && status !== "done").length;
  return (
    <PageFrame
      title="Projects"
      actions={
        <button type="button" className="button primary" onClick={() => setNew(true)}>
          New project
        </button>
      }
    >
      <ul className="cards">
        {projects?.map(({ id, name, status, aiSummary }) => (
          <li key={id}>
            <Link className="card" href={`/projects/${id}`}>
              <h2>{name}</h2>
              {aiSummary !== null && <p>{aiSummary}</p>}
              <span className="row">
                <span className="pill">{openTasks(id) ?? "…"} open</span>
                {status === "archived" && <span className="pill">archived</span>}
              </span>
            </Link>
          </li>
        ))}
      </ul>
      {projects?.length === 0 && <EmptyState line="No projects yet. Make one, or have one made:" />}
      {projects !== null && projects.length > 0 && (
        <p>
          <button type="button" className="button quiet" onClick={() => setArchived(!hasArchived)}>
            {hasArchived ? "Hide archived projects" : "Show archived projects, too"}
          </button>
        </p>
      )}
      {isNew && <NewProject onClose={() => setNew(false)} />}
    </PageFrame>
  );
}

function NewProject({ onClose }: { onClose: () => void }) {
  const keeper = useKeeper();
  const { run, isBusy, error } = useTask();
  const [name, setName] = useState("");
  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (await run(() => keeper.insert("projects", { name: name.trim() }))) {
      onClose();
    }
  };
  return (
    <Dialog title="New project" onClose={onClose}>
      <form className="stack" onSubmit={(event) => void save(event)}>
        <Field name="Name">
          <input className="input" required value={name} onChange={(event) => setName(event.target.value)} />
        </Field>
        {error !== "" && <p className="alert">{error}</p>}
        <div className="actions">
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="button primary" disabled={isBusy}>
            Save
          </button>
        </div>
      </form>
    </Dialog>
  );
}
