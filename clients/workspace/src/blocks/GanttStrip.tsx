/** Dates on a scale with an axis, a lane each: a bar from today, ending in a diamond for a checkpoint or a dot for a task. */

import { useMemo, useRef } from "react";
import { Link } from "wouter";
import { t } from "../i18n/translate";
import { dueShown, isPast, startOfDay, tickShown } from "../parts/dates";
import { LongList } from "../parts/LongList";
import { useWidth } from "../parts/useWidth";
import { nounOf } from "../parts/words";
import { addressOf, type Entity } from "./addresses";
import { anchorOf, fitting, placeOf, type Range, rangeOf, ticksOf } from "./time_scale";

export interface Lane {
  readonly id: string;
  readonly title: string;
  /** Milliseconds since 1970. */
  readonly date: number;
  readonly entity: Entity;
}

/** From this width on a lane is one line; below, its strip has a line of its own. */
const ONE_LINE_PX = 520;
const LANE_PX = 34;
const HIGH_LANE_PX = 56;
const AROUND_LANES_PX = 56;

const laneHeight = (widthPx: number) => (widthPx < ONE_LINE_PX ? HIGH_LANE_PX : LANE_PX);

/** The height of a strip of so many lanes where it is so wide, for lists of strips. */
export function stripHeight(lanes: number, widthPx: number): number {
  return AROUND_LANES_PX + lanes * laneHeight(widthPx);
}

/** `range` is that of all strips that are compared; without it the scale is that of these lanes. */
export function GanttStrip({
  lanes,
  now = Date.now(),
  range,
}: {
  lanes: readonly Lane[];
  now?: number;
  range?: Range;
}) {
  const strip = useRef<HTMLDivElement>(null);
  const width = useWidth(strip, ONE_LINE_PX);
  const sorted = useMemo(() => [...lanes].sort((one, other) => one.date - other.date), [lanes]);
  const scale =
    range ??
    rangeOf(
      lanes.map(({ date }) => date),
      now,
    );
  const place = (moment: number) => placeOf(scale, moment);
  const today = startOfDay(now);
  return (
    <div className={width < ONE_LINE_PX ? "gantt narrow" : "gantt"} ref={strip}>
      <Axis range={scale} today={today} />
      <LongList
        label={t("{count, plural, one {# date} other {# dates}}", { count: lanes.length })}
        items={sorted}
        heightOf={() => laneHeight(width)}
      >
        {(lane) => (
          <Link href={addressOf(lane.entity, lane.id)}>
            <span className="title">{lane.title}</span>
            {/* The strip shows it to others by its form. */}
            <span className="unseen">{nounOf(lane.entity === "checkpoint" ? "checkpoints" : "tasks")}</span>
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
      <line x1={`${from}%`} x2={`${from}%`} y1="0" y2="22" className="today" />
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

/** Sighted users only: each lane says its date. */
function Axis({ range, today }: { range: Range; today: number }) {
  const line = useRef<SVGSVGElement>(null);
  const width = useWidth(line);
  const now = { at: today, place: placeOf(range, today), text: t("Today") };
  const ticks = ticksOf(range).map(({ at, unit }) => ({ at, place: placeOf(range, at), text: tickShown(at, unit) }));
  return (
    <div className="axis" aria-hidden="true">
      <span />
      <svg ref={line}>
        {ticks.map(({ at, place }) => (
          <line key={at} x1={`${place}%`} x2={`${place}%`} y1="17" y2="22" />
        ))}
        {fitting([now, ...ticks], width).map((label) => (
          <text
            key={label.text}
            x={`${label.place}%`}
            y="12"
            textAnchor={anchorOf(label.place)}
            className={label === now ? "now" : undefined}
          >
            {label.text}
          </text>
        ))}
        <line x1={`${now.place}%`} x2={`${now.place}%`} y1="15" y2="22" className="now" />
      </svg>
      <span />
    </div>
  );
}
