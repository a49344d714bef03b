import { useMemo, useState } from "react";
import { useLocation } from "wouter";
import { GanttStrip, type Lane } from "../blocks/GanttStrip";
import { useContextualScope } from "../chat/ContextualChatProvider";
import { useRow, useRows } from "../line/LineProvider";
import { EmptyState } from "../parts/EmptyState";
import { PageFrame } from "../parts/PageFrame";
import { CheckpointDialog } from "./CheckpointDialog";

/** A strip of more lanes than this is no picture any more. */
const SHOWN_TASKS = 50;

/** `checkpointId`: that one is open. */
export function TimelinePage({ checkpointId }: { checkpointId?: string }) {
  const [, go] = useLocation();
  const [isNew, setNew] = useState(false);
  const checkpoints = useRows("checkpoints", { orderBy: "date" });
  const tasks = useRows("tasks", { orderBy: "dueDate" });
  const projects = useRows("projects");
  useContextualScope({ page: "timeline", entityType: null });
  const groups = useMemo(() => {
    const named = [...(projects ?? []).map(({ id, name }) => ({ id, name })), { id: null, name: "Without a project" }];
    return named
      .map(({ id, name }) => ({ id, name, lanes: lanesOf(checkpoints ?? [], tasks ?? [], id) }))
      .filter(({ lanes }) => lanes.length > 0);
  }, [checkpoints, tasks, projects]);
  const isKnown = checkpoints !== null && tasks !== null && projects !== null;
  return (
    <PageFrame
      title="Timeline"
      actions={
        <button
          type="button"
          className="button primary"
          disabled={projects === null || projects.length === 0}
          title={projects?.length === 0 ? "A checkpoint belongs to a project: make one first" : undefined}
          onClick={() => setNew(true)}
        >
          New checkpoint
        </button>
      }
    >
      {groups.map(({ id, name, lanes }) => (
        <section className="section" key={id ?? "none"}>
          <h2>{name}</h2>
          <div className="block">
            <GanttStrip lanes={lanes} />
          </div>
        </section>
      ))}
      {isKnown && groups.length === 0 && (
        <EmptyState
          line="Nothing has a date yet. Give something one, or ask what is to come:"
          offersData={projects.length === 0 && tasks.length === 0}
        />
      )}
      {isNew && <CheckpointDialog checkpoint={null} onClose={() => setNew(false)} />}
      {checkpointId !== undefined && <OpenCheckpoint id={checkpointId} onClose={() => go("/timeline")} />}
    </PageFrame>
  );
}

function OpenCheckpoint({ id, onClose }: { id: string; onClose: () => void }) {
  const checkpoint = useRow("checkpoints", id);
  if (checkpoint === undefined) {
    return null;
  }
  return checkpoint === null ? (
    <p role="alert">There is no such checkpoint any more.</p>
  ) : (
    <CheckpointDialog checkpoint={checkpoint} onClose={onClose} />
  );
}

interface Dated {
  readonly id: string;
  readonly title: string;
  readonly projectId: string | null;
}

function lanesOf(
  checkpoints: readonly (Dated & { readonly date: number })[],
  tasks: readonly (Dated & { readonly dueDate: number | null; readonly status: string })[],
  project: string | null,
): Lane[] {
  const mine = checkpoints.filter(({ projectId }) => projectId === project);
  const due = tasks.filter((task) => task.projectId === project && task.status !== "done" && task.dueDate !== null);
  return [
    ...mine.map(({ id, title, date }): Lane => ({ id, title, date, entity: "checkpoint" })),
    ...due
      .slice(0, SHOWN_TASKS)
      .map(({ id, title, dueDate }): Lane => ({ id, title, date: dueDate ?? 0, entity: "task" })),
  ];
}
