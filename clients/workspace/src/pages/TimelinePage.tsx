import { useMemo, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import { GanttStrip, stripHeight } from "../blocks/GanttStrip";
import { rangeOf } from "../blocks/time_scale";
import { useContextualScope } from "../chat/ContextualChatProvider";
import { T, t } from "../i18n/translate";
import { EmptyState } from "../parts/EmptyState";
import { LongList } from "../parts/LongList";
import { NewButton } from "../parts/NewButton";
import { PageFrame } from "../parts/PageFrame";
import { useWidth } from "../parts/useWidth";
import { useRow } from "../rpc/RpcProvider";
import { useTable } from "../rpc/tables";
import { CheckpointDialog } from "./CheckpointDialog";
import { type Group, groupsOf } from "./timeline_groups";

/** What is around a strip, as in layout.css and answer.css: heights, and the width of both borders. */
const HEADING_PX = 34;
const BORDERS_PX = 2;
const LEFT_PX = 28;
const GAP_PX = 30;

/** `checkpointId` is the open one. */
export function TimelinePage({ checkpointId }: { checkpointId?: string }) {
  const [, go] = useLocation();
  const [isNew, setNew] = useState(false);
  const checkpoints = useTable("checkpoints");
  const tasks = useTable("tasks");
  const all = useTable("projects");
  const projects = useMemo(() => all?.filter(({ status }) => status !== "archived") ?? null, [all]);
  useContextualScope({ page: "timeline", entityType: null });
  const groups = useMemo(() => groupsOf(all ?? [], checkpoints ?? [], tasks ?? []), [checkpoints, tasks, all]);
  const isKnown = checkpoints !== null && tasks !== null && projects !== null;
  return (
    <PageFrame
      title={t("Timeline")}
      actions={
        <NewButton
          name={t("New checkpoint")}
          disabled={projects === null || projects.length === 0}
          title={projects?.length === 0 ? t("A checkpoint belongs to a project: create one first") : undefined}
          onClick={() => setNew(true)}
        />
      }
    >
      {groups.length > 0 && <Groups groups={groups} />}
      {isKnown && groups.length === 0 && (
        <EmptyState
          line={
            projects.length === 0
              ? t("Nothing has a date yet, and a checkpoint needs a project first. You can ask:")
              : t("Nothing has a date yet. Add one, or ask what is coming:")
          }
          offersData={projects.length === 0 && tasks.length === 0}
        />
      )}
      {isNew && <CheckpointDialog checkpoint={null} onClose={() => setNew(false)} />}
      {checkpointId !== undefined && (
        <OpenCheckpoint id={checkpointId} onClose={() => go("/timeline", { replace: true })} />
      )}
    </PageFrame>
  );
}

/** All on one scale. */
function Groups({ groups }: { groups: readonly Group[] }) {
  const place = useRef<HTMLDivElement>(null);
  const width = useWidth(place) - BORDERS_PX;
  const range = useMemo(
    () =>
      rangeOf(
        groups.flatMap(({ lanes }) => lanes.map(({ date }) => date)),
        Date.now(),
      ),
    [groups],
  );
  return (
    <div ref={place}>
      <LongList
        label={t("By project")}
        items={groups}
        heightOf={({ lanes, left }) => HEADING_PX + stripHeight(lanes.length, width) + (left > 0 ? LEFT_PX : 0)}
        gapPx={GAP_PX}
      >
        {({ id, name, lanes, left }) => (
          <section className="section" aria-label={name}>
            <h2>{id === null ? name : <Link href={`/projects/${id}`}>{name}</Link>}</h2>
            <div className="block">
              <GanttStrip lanes={lanes} range={range} />
            </div>
            {left > 0 && (
              <p className="left small muted">
                <T
                  text="{count, plural, one {And # later task with a date.} other {And # later tasks with a date.}} <0>All tasks</0>"
                  values={{ count: left }}
                  elements={[<Link key="all" href="/tasks" />]}
                />
              </p>
            )}
          </section>
        )}
      </LongList>
    </div>
  );
}

function OpenCheckpoint({ id, onClose }: { id: string; onClose: () => void }) {
  const checkpoint = useRow("checkpoints", id);
  if (checkpoint === undefined) {
    return null;
  }
  return checkpoint === null ? (
    <p className="alert" role="alert">
      {t("There is no such checkpoint any more.")}
    </p>
  ) : (
    <CheckpointDialog checkpoint={checkpoint} onClose={onClose} />
  );
}
