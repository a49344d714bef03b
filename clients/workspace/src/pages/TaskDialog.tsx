/** Creates, changes, comments on or deletes a task. */

import type { RowOf } from "@adiuva/client/database";
import { type FormEvent, useId } from "react";
import { t } from "../i18n/translate";
import { Checklist } from "../parts/Checklist";
import { Dialog } from "../parts/Dialog";
import { DialogActions } from "../parts/DialogActions";
import { DraftNote } from "../parts/DraftNote";
import { dayField, timeField } from "../parts/dates";
import { useFormDraft } from "../parts/draft";
import { Field } from "../parts/Field";
import { editedMoment, MomentFields } from "../parts/MomentFields";
import { namesOf } from "../parts/names";
import { Problem } from "../parts/Problem";
import { ProjectSelect } from "../parts/ProjectSelect";
import { useIsMounted } from "../parts/useIsMounted";
import { useStore, useTask } from "../rpc/RpcProvider";
import { Backlinks } from "./Backlinks";
import { DescriptionLinks } from "./DescriptionLinks";
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
  const isMounted = useIsMounted();
  /** Not once the user has closed it: what is open then is something else. */
  const close = () => isMounted.current && onClose();
  const stored = task?.dueDate ?? null;
  const draft = useFormDraft(`task.${task?.id ?? `new.${projectId ?? ""}`}`, {
    title: task?.title ?? "",
    description: task?.description ?? "",
    project: task?.projectId ?? projectId ?? "",
    status: task?.status ?? "todo",
    priority: task?.priority ?? "medium",
    day: dayField(stored),
    time: timeField(stored),
    who: namesOf(task?.assignee ?? null).join(", "),
  });
  const { title, description, project, status, priority, who } = draft.values;
  const due = editedMoment(stored, draft.values, draft.set);
  const save = async (event: FormEvent) => {
    event.preventDefault();
    const given = {
      title: title.trim(),
      description: description.trim() || null,
      projectId: project || null,
      status,
      priority,
      dueDate: due.moment,
      assignee: editedNames(task?.assignee ?? null, who),
    };
    if (await run(() => (task === null ? store.insert("tasks", given) : store.update("tasks", task.id, given)))) {
      draft.discard();
      close();
    }
  };
  /** Stored at once, unless other changes wait or it would replace one; until it is, the draft has it, for what comes next. */
  const changeChecklist = (changed: string) => {
    draft.set({ description: changed });
    if (task !== null && draft.overtaken.length === 0 && draft.changed.every((field) => field === "description")) {
      void run(() => store.update("tasks", task.id, { description: changed }));
    }
  };
  const cancel = () => {
    draft.discard();
    onClose();
  };
  const remove = async (id: string) => {
    await store.remove("tasks", id);
    close();
  };
  return (
    <Dialog title={task === null ? t("New task") : t("Task")} onClose={onClose}>
      <form id={form} className="stack" onSubmit={(event) => void save(event)}>
        <Field name={t("Title")}>
          <input
            className="input"
            required
            value={title}
            onChange={(event) => draft.set({ title: event.target.value })}
          />
        </Field>
        <Field name={t("Description")}>
          <textarea
            className="input"
            rows={2}
            value={description}
            onChange={(event) => draft.set({ description: event.target.value })}
          />
        </Field>
        <DescriptionLinks text={description} />
        <Checklist text={description} onChange={changeChecklist} />
        <div className="pair">
          <Field name={t("Project")}>
            <ProjectSelect none={t("None")} value={project} onChange={(given) => draft.set({ project: given })} />
          </Field>
          <Field name={t("Status")}>
            <select
              className="input"
              value={status}
              onChange={(event) => draft.set({ status: event.target.value as Task["status"] })}
            >
              <option value="todo">{t("To do")}</option>
              <option value="in_progress">{t("In progress")}</option>
              <option value="done">{t("Done")}</option>
            </select>
          </Field>
          <MomentFields name={t("Due")} edited={due} />
          <Field name={t("Priority")}>
            <select
              className="input"
              value={priority}
              onChange={(event) => draft.set({ priority: event.target.value as Task["priority"] })}
            >
              <option value="high">{t("High")}</option>
              <option value="medium">{t("Medium")}</option>
              <option value="low">{t("Low")}</option>
            </select>
          </Field>
          <Field name={t("Assignees")}>
            <input
              className="input"
              placeholder={t("Anna, Marco")}
              value={who}
              onChange={(event) => draft.set({ who: event.target.value })}
            />
          </Field>
        </div>
        <DraftNote
          draft={draft}
          names={{
            title: t("Title"),
            description: t("Description"),
            project: t("Project"),
            status: t("Status"),
            priority: t("Priority"),
            day: t("Due"),
            time: t("Due"),
            who: t("Assignees"),
          }}
        />
        <Problem error={error} />
      </form>
      {task !== null && !draft.isChanged && <TaskBrief task={task} onAsked={onClose} />}
      {task !== null && <Backlinks of={task} />}
      {task !== null && <TaskComments taskId={task.id} />}
      <DialogActions
        form={form}
        isBusy={isBusy}
        onCancel={cancel}
        deletion={task === null ? undefined : { question: t("Delete this task?"), act: () => remove(task.id) }}
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
