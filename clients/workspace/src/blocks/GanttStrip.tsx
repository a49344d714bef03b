/** Dates on one scale, a lane each: a bar from today to the date, and the date's diamond at its end. */
import { Link } from "wouter";
import { dayShown, isPast } from "../parts/dates";
import { addressOf, type Entity } from "./addresses";

export interface Lane {
  readonly id: string;
  readonly title: string;
  /** Milliseconds since 1970. */
  readonly date: number;
  readonly entity: Entity;
}

/** Per cent of the strip that stay free at both ends, for the diamonds. */
const INSET = 3;

export function GanttStrip({ lanes, now = Date.now() }: { lanes: readonly Lane[]; now?: number }) {
  const sorted = [...lanes].sort((one, other) => one.date - other.date);
  const first = Math.min(now, ...sorted.map(({ date }) => date));
  const last = Math.max(now, ...sorted.map(({ date }) => date));
  const place = (moment: number) =>
    INSET + (last === first ? 0 : ((moment - first) / (last - first)) * (100 - 2 * INSET));
  return (
    <div className="gantt">
      <ol>
        {sorted.map((lane) => (
          <li key={lane.id}>
            <Link href={addressOf(lane.entity, lane.id)}>
              <span className="title">{lane.title}</span>
              <Strip from={place(now)} to={place(lane.date)} isOver={isPast(lane.date, now)} />
              <span className="day">{dayShown(lane.date, now)}</span>
            </Link>
          </li>
        ))}
      </ol>
    </div>
  );
}

function Strip({ from, to, isOver }: { from: number; to: number; isOver: boolean }) {
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
        <path d="M0 5l6 6-6 6-6-6z" fill={colour} />
      </svg>
    </svg>
  );
}
