/** Pies, radial bars and radars. */

import { type Drawn, shortened, ticksOf } from "./chart_data";
import { colourAt } from "./colours";

const TURN = 2 * Math.PI;

function centre({ width, height }: Drawn) {
  return { x: width / 2, y: height / 2, radius: Math.min(width, height) / 2 - 8 };
}

function at(x: number, y: number, radius: number, turn: number): string {
  const angle = turn * TURN - TURN / 4;
  return `${(x + radius * Math.cos(angle)).toFixed(2)} ${(y + radius * Math.sin(angle)).toFixed(2)}`;
}

export function Pie(drawn: Drawn) {
  const { x, y, radius } = centre(drawn);
  const values = (drawn.chart.series[0]?.values ?? []).map((value) => Math.max(0, value ?? 0));
  const total = values.reduce((sum, value) => sum + value, 0);
  let turned = 0;
  return values.map((value, index) => {
    const from = turned;
    turned += total === 0 ? 0 : value / total;
    return value === 0 ? null : (
      <path
        key={index}
        d={slice(x, y, radius, from, turned)}
        fill={colourAt(index)}
        stroke="var(--raised)"
        strokeWidth="2"
      />
    );
  });
}

/** An arc between two fractions of a full circle. A full circle is two halves: an arc cannot end where it begins. */
function slice(x: number, y: number, radius: number, from: number, to: number): string {
  if (to - from > 0.999) {
    const [top, bottom] = [at(x, y, radius, 0), at(x, y, radius, 0.5)];
    return `M${top}A${radius} ${radius} 0 1 1 ${bottom}A${radius} ${radius} 0 1 1 ${top}Z`;
  }
  const isLarge = to - from > 0.5 ? 1 : 0;
  return `M${x} ${y}L${at(x, y, radius, from)}A${radius} ${radius} 0 ${isLarge} 1 ${at(x, y, radius, to)}Z`;
}

export function Radial(drawn: Drawn) {
  const { x, y, radius } = centre(drawn);
  const values = (drawn.chart.series[0]?.values ?? []).map((value) => Math.max(0, value ?? 0));
  const most = Math.max(1, ...values);
  const band = radius / (values.length + 1);
  return values.map((value, index) => {
    const middle = radius - band * (index + 0.5);
    const share = Math.min(0.999, (value / most) * 0.75);
    const isLarge = share > 0.5 ? 1 : 0;
    return (
      <g key={index} fill="none" strokeWidth={band * 0.7} strokeLinecap="round">
        <circle cx={x} cy={y} r={middle} stroke="var(--hairline)" />
        {share > 0 && (
          <path
            d={`M${at(x, y, middle, 0)}A${middle} ${middle} 0 ${isLarge} 1 ${at(x, y, middle, share)}`}
            stroke={colourAt(index)}
          />
        )}
      </g>
    );
  });
}

export function Radar(drawn: Drawn) {
  const { categories, series } = drawn.chart;
  const { x, y, radius: whole } = centre(drawn);
  const radius = whole - 16;
  const ticks = ticksOf(series);
  const most = ticks.at(-1) ?? 1;
  const corners = (share: (index: number) => number) =>
    categories.map((_name, index) => at(x, y, radius * share(index), index / categories.length)).join("L");
  return (
    <>
      {ticks.slice(1).map((tick) => (
        <path key={tick} className="grid" d={`M${corners(() => tick / most)}Z`} fill="none" />
      ))}
      {categories.map((category, index) => {
        const [left, top] = at(x, y, radius + 12, index / categories.length)
          .split(" ")
          .map(Number);
        return (
          <text key={index} x={left} y={(top ?? 0) + 4} textAnchor={anchorOf((left ?? x) - x)}>
            {shortened(category)}
          </text>
        );
      })}
      {series.map(({ key, colour, values }) => (
        <path
          key={key}
          d={`M${corners((index) => Math.max(0, values[index] ?? 0) / most)}Z`}
          fill={colour}
          fillOpacity="0.2"
          stroke={colour}
          strokeWidth="2"
        />
      ))}
    </>
  );
}

function anchorOf(aside: number): "start" | "middle" | "end" {
  if (Math.abs(aside) < 8) {
    return "middle";
  }
  return aside > 0 ? "start" : "end";
}
