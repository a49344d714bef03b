/** One line of a list of tasks: everything that one wants to know of it, and most of it changed in place. */
import { memo, useEffect, useRef, useState } from "react";
import { Link } from "wouter";
import { t } from "../i18n/translate";
import { dueShown, isPast } from "../parts/dates";
import { Icon } from "../parts/Icon";
import { namesOf } from "../parts/names";
import { isFocusLost } from "../parts/useFocusInside";
import { statusShown } from "../parts/values";
import type { RowActions } from "./useTaskActions";
import { checklistOf, type Task } from "./view";

export interface TaskRowProps {
  readonly task: Task;
  /** The project's name; undefined without one, or if all are of the same. */
  readonly project: string | undefined;
  readonly actions: RowActions;
  /** The query that the address keeps when the task is opened. */
  readonly query?: string;
  readonly isSelected?: boolean;
  /** Boxes to select are shown. */
  readonly isSelecting?: boolean;
  readonly isEdited?: boolean;
  /** It was ticked just now. */
  readonly isLingering?: boolean;
}

export const TaskRow = memo(function TaskRow(props: TaskRowProps) {
  const { task, actions, isSelected = false, isSelecting = false, isEdited = false, isLingering = false } = props;
  const isDone = task.status === "done";
  const row = useRef<HTMLDivElement>(null);
  const wasEdited = useRef(false);
  useEffect(() => {
    // The field that had the focus is gone.
    if (wasEdited.current && !isEdited && isFocusLost()) {
      row.current?.querySelector<HTMLElement>(".open")?.focus();
    }
    wasEdited.current = isEdited;
  }, [isEdited]);
  return (
    <div ref={row} className={`task-row${isDone ? " done" : ""}${isSelected ? " selected" : ""}`} data-id={task.id}>
      {isSelecting ? (
        <input
          type="checkbox"
          className="select"
          checked={isSelected}
          aria-label={t("Select: {title}", { title: task.title })}
          onChange={(event) => actions.select(task.id, (event.nativeEvent as MouseEvent).shiftKey === true)}
        />
      ) : (
        <DoneBox task={task} actions={actions} />
      )}
      {isEdited ? <TitleInput task={task} actions={actions} /> : <Title {...props} />}
      {isLingering && isDone ? (
        <button type="button" className="button small" onClick={() => void actions.tick(task)}>
          {t("Undo")}
        </button>
      ) : (
        <Facts {...props} />
      )}
    </div>
  );
});

/** Ticked at once: the row follows a moment later. */
function DoneBox({ task, actions }: Pick<TaskRowProps, "task" | "actions">) {
  const [ticked, setTicked] = useState<{ readonly of: Task; readonly isDone: boolean } | null>(null);
  const isDone = ticked?.of === task ? ticked.isDone : task.status === "done";
  const tick = async () => {
    setTicked({ of: task, isDone: !isDone });
    if (!(await actions.tick(task))) {
      setTicked(null);
    }
  };
  return (
    <input
      type="checkbox"
      checked={isDone}
      aria-label={t("Done: {title}", { title: task.title })}
      onChange={() => void tick()}
    />
  );
}

function Title({ task, actions, query = "" }: TaskRowProps) {
  return (
    <>
      <Link
        className="open"
        href={`/tasks/${task.id}${query}`}
        onClick={(event) => {
          // As in every list: these keys select.
          if (event.ctrlKey || event.metaKey || event.shiftKey) {
            event.preventDefault();
            actions.select(task.id, event.shiftKey);
          }
        }}
      >
        <span className="title">{task.title}</span>
      </Link>
      <button
        type="button"
        className="rename"
        aria-label={t("Rename: {title}", { title: task.title })}
        onClick={() => actions.edit(task.id)}
      >
        <Icon name="edit" />
      </button>
    </>
  );
}

function TitleInput({ task, actions }: Pick<TaskRowProps, "task" | "actions">) {
  const [title, setTitle] = useState(task.title);
  return (
    <input
      // biome-ignore lint/a11y/noAutofocus: the user has just asked to write here
      autoFocus
      className="input title-input"
      aria-label={t("Title")}
      value={title}
      onFocus={(event) => event.currentTarget.select()}
      onChange={(event) => setTitle(event.target.value)}
      onBlur={() => actions.rename(task, title)}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === "Enter") {
          event.currentTarget.blur();
        } else if (event.key === "Escape") {
          actions.edit(null);
        }
      }}
    />
  );
}

function Facts({ task, project, actions }: TaskRowProps) {
  const { status, priority, dueDate, description, assignee } = task;
  const isDone = status === "done";
  const isLate = dueDate !== null && !isDone && isPast(dueDate);
  const names = namesOf(assignee);
  const checklist = checklistOf(description);
  return (
    <span className="facts">
      {checklist !== null && (
        <span className="pill boxes">
          ☑ {checklist[0]}/{checklist[1]}
        </span>
      )}
      {names.length > 0 && (
        <Fact kind="person" said={t("For: {name}", { name: names.join(", ") })} shown={names.join(", ")} />
      )}
      {status === "in_progress" && <span className="pill state in_progress">{statusShown(status)}</span>}
      {priority !== "medium" && !isDone && (
        <Fact
          kind={priority}
          said={priority === "high" ? t("Priority: high") : t("Priority: low")}
          shown={priority === "high" ? t("high") : t("low")}
        />
      )}
      {project !== undefined && (
        <button
          type="button"
          className="pill project"
          aria-label={t("Project: {name}. Change it", { name: project })}
          onClick={(event) => actions.pick("project", [task], event.currentTarget)}
        >
          {project}
        </button>
      )}
      <button
        type="button"
        className={`pill due${dueDate === null ? " none" : ""}${isLate ? " overdue" : ""}`}
        aria-label={
          dueDate === null
            ? t("No date. Set one")
            : isLate
              ? t("Overdue: {date}. Change it", { date: dueShown(dueDate) })
              : t("Due: {date}. Change it", { date: dueShown(dueDate) })
        }
        onClick={(event) => actions.pick("date", [task], event.currentTarget)}
      >
        {dueDate === null ? t("No date") : dueShown(dueDate)}
      </button>
    </span>
  );
}

/** A form and a colour tell what it is; `said` says it in words. */
function Fact({ kind, said, shown }: { kind: string; said: string; shown: string }) {
  return (
    <span className={`pill ${kind}`}>
      <span className="unseen">{said}</span>
      <span aria-hidden="true">{shown}</span>
    </span>
  );
}
