/** Bars, lines and areas over categories. */
import { type Drawn, shortened, ticksOf } from "./chart_data";

const LEFT = 42;
const BOTTOM = 26;
const TOP = 10;
const RIGHT = 10;
/** The width of a category's label, in pixels. */
const LABEL_PX = 76;

interface Scale {
  readonly step: number;
  readonly ticks: readonly number[];
  x(index: number): number;
  y(value: number): number;
}

function scaleOf({ chart, width, height }: Drawn): Scale {
  const ticks = ticksOf(chart.series);
  const least = ticks[0] ?? 0;
  const most = ticks.at(-1) ?? 1;
  const step = (width - LEFT - RIGHT) / Math.max(1, chart.categories.length);
  return {
    step,
    ticks,
    x: (index) => LEFT + (index + 0.5) * step,
    y: (value) => TOP + (1 - (value - least) / (most - least)) * (height - TOP - BOTTOM),
  };
}

export function Bars(drawn: Drawn) {
  const scale = scaleOf(drawn);
  const { series } = drawn.chart;
  const wide = Math.min(46, (scale.step * 0.7) / Math.max(1, series.length));
  return (
    <>
      <Axes {...drawn} scale={scale} />
      {series.map(({ key, colour, values }, order) =>
        values.map((value, index) => {
          const top = scale.y(Math.max(0, value ?? 0));
          const x = scale.x(index) + (order - series.length / 2) * wide;
          const height = Math.abs(scale.y(0) - scale.y(value ?? 0));
          return (
            <rect key={`${key} ${index}`} x={x + 1} y={top} width={wide - 2} height={height} rx="3" fill={colour} />
          );
        }),
      )}
    </>
  );
}

export function Lines({ isFilled = false, ...drawn }: Drawn & { isFilled?: boolean }) {
  const scale = scaleOf(drawn);
  return (
    <>
      <Axes {...drawn} scale={scale} />
      {drawn.chart.series.map(({ key, colour, values }) => {
        const points = values.flatMap((value, index) =>
          value === null ? [] : [[scale.x(index), scale.y(value)] as const],
        );
        const line = points.map(([x, y]) => `${x} ${y}`).join("L");
        const base = scale.y(0);
        return (
          <g key={key}>
            {isFilled && points.length > 0 && (
              <path
                d={`M${points[0]?.[0]} ${base}L${line}L${points.at(-1)?.[0]} ${base}Z`}
                fill={colour}
                opacity="0.22"
              />
            )}
            <path d={`M${line}`} fill="none" stroke={colour} strokeWidth="2.2" strokeLinejoin="round" />
            {points.map(([x, y]) => (
              <circle key={x} cx={x} cy={y} r="3" fill={colour} />
            ))}
          </g>
        );
      })}
    </>
  );
}

function Axes({ chart, width, height, scale }: Drawn & { scale: Scale }) {
  const every = Math.max(1, Math.ceil(LABEL_PX / scale.step));
  return (
    <>
      {scale.ticks.map((tick) => (
        <g key={tick}>
          <line className="grid" x1={LEFT} x2={width - RIGHT} y1={scale.y(tick)} y2={scale.y(tick)} />
          <text x={LEFT - 8} y={scale.y(tick) + 4} textAnchor="end">
            {tick}
          </text>
        </g>
      ))}
      {chart.categories.map((category, index) =>
        index % every === 0 ? (
          <text key={index} x={scale.x(index)} y={height - 8} textAnchor="middle">
            {shortened(category)}
          </text>
        ) : null,
      )}
    </>
  );
}
