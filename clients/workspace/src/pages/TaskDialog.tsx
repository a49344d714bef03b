/** Creates, changes, comments on or deletes a task. */
import type { RowOf } from "@adiuva/client/database";
import { type FormEvent, useId, useState } from "react";
import { Dialog } from "../parts/Dialog";
import { DialogActions } from "../parts/DialogActions";
import { Field } from "../parts/Field";
import { MomentFields, useEditedMoment } from "../parts/MomentFields";
import { Problem } from "../parts/Problem";
import { ProjectSelect } from "../parts/ProjectSelect";
import { namesOf } from "../parts/values";
import { useStore, useTask } from "../rpc/RpcProvider";
import { TaskBrief } from "./TaskBrief";
import { TaskComments } from "./TaskComments";

type Task = RowOf["tasks"];

export function TaskDialog({
  task,
  projectId = null,
  onClose,
}: {
  /** Null for a new one. */
  task: Task | null;
  projectId?: string | null;
  onClose: () => void;
}) {
  const store = useStore();
  const form = useId();
  const { run, isBusy, error } = useTask();
  const [title, setTitle] = useState(task?.title ?? "");
  const [description, setDescription] = useState(task?.description ?? "");
  const [project, setProject] = useState(task?.projectId ?? projectId ?? "");
  const [status, setStatus] = useState<Task["status"]>(task?.status ?? "todo");
  const [priority, setPriority] = useState<Task["priority"]>(task?.priority ?? "medium");
  const due = useEditedMoment(task?.dueDate ?? null);
  const [who, setWho] = useState(namesOf(task?.assignee ?? null).join(", "));
  const given = {
    title: title.trim(),
    description: description.trim() || null,
    projectId: project || null,
    status,
    priority,
    dueDate: due.moment,
    assignee: editedNames(task?.assignee ?? null, who),
  };
  const isChanged =
    task !== null && Object.entries(given).some(([column, value]) => task[column as keyof Task] !== value);
  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (await run(() => (task === null ? store.insert("tasks", given) : store.update("tasks", task.id, given)))) {
      onClose();
    }
  };
  const remove = async (id: string) => {
    await store.remove("tasks", id);
    onClose();
  };
  return (
    <Dialog title={task === null ? "New task" : "Task"} onClose={onClose}>
      <form id={form} className="stack" onSubmit={(event) => void save(event)}>
        <Field name="Title">
          <input className="input" required value={title} onChange={(event) => setTitle(event.target.value)} />
        </Field>
        <Field name="Description">
          <textarea
            className="input"
            rows={2}
            value={description}
            onChange={(event) => setDescription(event.target.value)}
          />
        </Field>
        <div className="pair">
          <Field name="Project">
            <ProjectSelect none="None" value={project} onChange={setProject} />
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
          <MomentFields name="Due" edited={due} />
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
          <Field name="Assignees, separated by commas">
            <input className="input" value={who} onChange={(event) => setWho(event.target.value)} />
          </Field>
        </div>
        <Problem error={error} />
      </form>
      {task !== null && !isChanged && <TaskBrief task={task} onAsked={onClose} />}
      {task !== null && <TaskComments taskId={task.id} />}
      <DialogActions
        form={form}
        isBusy={isBusy}
        onCancel={onClose}
        deletion={task === null ? undefined : { question: "Delete this task?", act: () => remove(task.id) }}
      />
    </Dialog>
  );
}

/** Names as the JSON array that is stored; exactly the old text if they did not change. */
function editedNames(kept: string | null, typed: string): string | null {
  if (typed === namesOf(kept).join(", ")) {
    return kept;
  }
  const names = typed
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  return names.length > 0 ? JSON.stringify(names) : null;
}
