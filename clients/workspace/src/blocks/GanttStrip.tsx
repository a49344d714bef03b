/** Dates on one scale, a lane each: a bar from today, ending in a diamond for a checkpoint or a dot for a task. */
import { useMemo } from "react";
import { Link } from "wouter";
import { counted } from "../parts/counted";
import { dueShown, isPast, startOfDay } from "../parts/dates";
import { LongList } from "../parts/LongList";
import { addressOf, type Entity } from "./addresses";

export interface Lane {
  readonly id: string;
  readonly title: string;
  /** Milliseconds since 1970. */
  readonly date: number;
  readonly entity: Entity;
}

/** The heights of a lane and of the frame around all lanes, for lists of strips. */
export const LANE_PX = 34;
export const AROUND_LANES_PX = 30;
/** Percentage of the strip that is left free at both ends for the diamonds. */
const INSET = 3;

export function GanttStrip({ lanes, now = Date.now() }: { lanes: readonly Lane[]; now?: number }) {
  const sorted = useMemo(() => [...lanes].sort((one, other) => one.date - other.date), [lanes]);
  const today = startOfDay(now);
  const first = Math.min(today, sorted[0]?.date ?? today);
  const last = Math.max(today, sorted.at(-1)?.date ?? today);
  const place = (moment: number) =>
    INSET + (last === first ? 0 : ((moment - first) / (last - first)) * (100 - 2 * INSET));
  return (
    <div className="gantt">
      <LongList label={counted(lanes.length, "date")} items={sorted} heightOf={() => LANE_PX}>
        {(lane) => (
          <Link href={addressOf(lane.entity, lane.id)}>
            <span className="title">{lane.title}</span>
            {/* The strip shows it to others by its form. */}
            <span className="unseen">{lane.entity}</span>
            <Strip from={place(today)} to={place(lane.date)} isOver={isPast(lane.date, now)} entity={lane.entity} />
            <span className="day">{dueShown(lane.date, now)}</span>
          </Link>
        )}
      </LongList>
    </div>
  );
}

function Strip({ from, to, isOver, entity }: { from: number; to: number; isOver: boolean; entity: Entity }) {
  const colour = isOver ? "var(--muted)" : "var(--series-1)";
  return (
    <svg aria-hidden="true">
      <line x1={`${from}%`} x2={`${from}%`} y1="0" y2="22" stroke="var(--border)" strokeDasharray="2 3" />
      <rect
        x={`${Math.min(from, to)}%`}
        y="9"
        width={`${Math.abs(to - from)}%`}
        height="4"
        rx="2"
        fill={colour}
        opacity="0.4"
      />
      <svg x={`${to}%`} overflow="visible">
        {entity === "checkpoint" ? (
          <path d="M0 5l6 6-6 6-6-6z" fill={colour} />
        ) : (
          <circle cy="11" r="4.5" fill={colour} />
        )}
      </svg>
    </svg>
  );
}
