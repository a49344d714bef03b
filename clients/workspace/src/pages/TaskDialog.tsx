/** A task to be made, changed or deleted. */
import type { RowOf } from "@adiuva/client/database";
import { type FormEvent, useState } from "react";
import { namesOf } from "../chat/values";
import { useKeeper, useRows, useTask } from "../line/LineProvider";
import { Dialog } from "../parts/Dialog";
import { dayField, momentOf } from "../parts/dates";
import { Field } from "../parts/Field";

type Task = RowOf["tasks"];

export function TaskDialog({
  task,
  projectId = null,
  onClose,
}: {
  /** Null: a new one. */
  task: Task | null;
  projectId?: string | null;
  onClose: () => void;
}) {
  const keeper = useKeeper();
  const projects = useRows("projects") ?? [];
  const { run, isBusy, error } = useTask();
  const [title, setTitle] = useState(task?.title ?? "");
  const [description, setDescription] = useState(task?.description ?? "");
  const [project, setProject] = useState(task?.projectId ?? projectId ?? "");
  const [status, setStatus] = useState<Task["status"]>(task?.status ?? "todo");
  const [priority, setPriority] = useState<Task["priority"]>(task?.priority ?? "medium");
  const [due, setDue] = useState(dayField(task?.dueDate ?? null));
  const [who, setWho] = useState(namesOf(task?.assignee ?? null).join(", "));
  const save = async (event: FormEvent) => {
    event.preventDefault();
    const names = who.split(",").map((name) => name.trim());
    const assignee = names.some((name) => name !== "") ? JSON.stringify(names.filter((name) => name !== "")) : null;
    const dueDate = dayField(task?.dueDate ?? null) === due ? (task?.dueDate ?? null) : momentOf(due);
    const given = {
      title: title.trim(),
      description: description.trim() || null,
      projectId: project || null,
      status,
      priority,
      dueDate,
      assignee,
    };
    if (await run(() => (task === null ? keeper.insert("tasks", given) : keeper.update("tasks", task.id, given)))) {
      onClose();
    }
  };
  return (
    <Dialog title={task === null ? "New task" : "Task"} onClose={onClose}>
      <form className="stack" onSubmit={(event) => void save(event)}>
        <Field name="Title">
          <input className="input" required value={title} onChange={(event) => setTitle(event.target.value)} />
        </Field>
        <Field name="Description">
          <textarea
            className="input"
            rows={3}
            value={description}
            onChange={(event) => setDescription(event.target.value)}
          />
        </Field>
        <div className="pair">
          <Field name="Project">
            <select className="input" value={project} onChange={(event) => setProject(event.target.value)}>
              <option value="">None</option>
              {projects.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </Field>
          <Field name="Due">
            <input className="input" type="date" value={due} onChange={(event) => setDue(event.target.value)} />
          </Field>
          <Field name="Status">
            <select
              className="input"
              value={status}
              onChange={(event) => setStatus(event.target.value as Task["status"])}
            >
              <option value="todo">To do</option>
              <option value="in_progress">In progress</option>
              <option value="done">Done</option>
            </select>
          </Field>
          <Field name="Priority">
            <select
              className="input"
              value={priority}
              onChange={(event) => setPriority(event.target.value as Task["priority"])}
            >
              <option value="high">High</option>
              <option value="medium">Medium</option>
              <option value="low">Low</option>
            </select>
          </Field>
        </div>
        <Field name="Who, with commas between names">
          <input className="input" value={who} onChange={(event) => setWho(event.target.value)} />
        </Field>
        {error !== "" && <p className="alert">{error}</p>}
        <div className="actions">
          {task !== null && (
            <DeleteButton
              isBusy={isBusy}
              onDelete={async () => (await run(() => keeper.remove("tasks", task.id))) && onClose()}
            />
          )}
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

/** Asks once more in its own place. */
export function DeleteButton({
  isBusy,
  onDelete,
  name = "Delete",
}: {
  isBusy: boolean;
  onDelete: () => void;
  name?: string;
}) {
  const [isSure, setSure] = useState(false);
  return (
    <button
      type="button"
      className="button danger"
      disabled={isBusy}
      onBlur={() => setSure(false)}
      onClick={() => (isSure ? onDelete() : setSure(true))}
    >
      {isSure ? "Really delete?" : name}
    </button>
  );
}
