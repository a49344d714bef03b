/** A chart's drawing, by Recharts: a chunk of its own, because it is larger than the rest of the page. */
import { type ReactElement, useRef } from "react";
import {
  Area,
  AreaChart,
  Bar,
  BarChart,
  CartesianGrid,
  Legend,
  type LegendPayload,
  Line,
  LineChart,
  Pie,
  PieChart,
  PolarAngleAxis,
  PolarGrid,
  PolarRadiusAxis,
  Radar,
  RadarChart,
  RadialBar,
  RadialBarChart,
  Tooltip,
  XAxis,
  YAxis,
} from "recharts";
import { msg, t } from "../i18n/translate";
import { useWidth } from "../parts/useWidth";
import { amountShown, briefAmount, type ChartType, isLong, type ReadChart, shortened } from "./chart_data";
import { colourAt } from "./colours";

const HEIGHT_PX = 260;
const USUAL_PX = 520;
const LEAST_PX = 200;
/** The height that a bar with its label beside it takes. */
const LINE_PX = 38;
const LABEL_PX = 150;
const MARGIN = { top: 8, right: 12, bottom: 4, left: 4 };
const CATEGORY = "category";

interface DrawingProps {
  readonly chart: ReadChart;
  readonly type: ChartType;
  readonly title: string;
}

export default function Drawing({ chart, type, title }: DrawingProps) {
  const place = useRef<HTMLDivElement>(null);
  const width = Math.max(LEAST_PX, useWidth(place, USUAL_PX));
  const isListed = type === "bar" && isLong(chart);
  const lines = chart.categories.length * Math.max(1, chart.series.length);
  const height = isListed ? Math.max(HEIGHT_PX, lines * LINE_PX) : HEIGHT_PX;
  const sized = { chart, type, title, width, height };
  return <div ref={place}>{isListed ? <Listed {...sized} /> : drawn(sized)}</div>;
}

interface Sized extends DrawingProps {
  readonly width: number;
  readonly height: number;
}

function drawn(props: Sized): ReactElement {
  switch (props.type) {
    case "area":
      return <Areas {...props} />;
    case "line":
      return <Lines {...props} />;
    case "pie":
      return <Slices {...props} />;
    case "radar":
      return <Web {...props} />;
    case "radial":
      return <Rings {...props} />;
    default:
      return <Bars {...props} />;
  }
}

/** What every kind has: its name for screen readers, and its rows. The arrow keys move the tooltip. */
function rootOf({ chart, type, title, width, height }: Sized) {
  return {
    data: rowsOf(chart),
    width,
    height,
    margin: MARGIN,
    role: "img",
    "aria-label": t(NAMES[type], { title }),
  };
}

const NAMES: Readonly<Record<ChartType, string>> = {
  area: msg("area chart: {title}"),
  bar: msg("bar chart: {title}"),
  line: msg("line chart: {title}"),
  pie: msg("pie chart: {title}"),
  radar: msg("radar chart: {title}"),
  radial: msg("radial chart: {title}"),
};

type Row = Readonly<Record<string, string | number | null>>;

/** Series are columns by number: their own names may be anything. */
function rowsOf({ categories, series }: ReadChart): Row[] {
  return categories.map((category, index) => ({
    [CATEGORY]: category,
    ...Object.fromEntries(series.map(({ values }, order) => [`s${order}`, values[index] ?? null])),
  }));
}

/** Each category has a colour, instead of each series. */
function colouredRows(chart: ReadChart): Row[] {
  return rowsOf(chart).map((row, index) => ({ ...row, name: row[CATEGORY] ?? "", fill: colourAt(index) }));
}

const amount = (value: unknown) => (typeof value === "number" ? amountShown(value) : String(value ?? "–"));

/** Series are named in the order in which they are drawn, instead of by their names. */
const IN_ORDER = () => 0;

const TIP = (
  <Tooltip
    formatter={amount}
    itemSorter={IN_ORDER}
    isAnimationActive={false}
    cursor={{ fill: "var(--sunken)", stroke: "var(--border)" }}
  />
);

/** Sighted users only: the numbers of the chart are below it, as a table. */
function Key({ payload }: { payload?: readonly LegendPayload[] }) {
  return (
    <ul className="chart-key" aria-hidden="true">
      {payload?.map(({ value, color }) => (
        <li key={value}>
          <svg viewBox="0 0 10 10">
            <rect width="10" height="10" rx="2" fill={color} />
          </svg>
          {value}
        </li>
      ))}
    </ul>
  );
}

function keyOf({ series }: ReadChart) {
  return series.length > 1 ? <Legend content={Key} itemSorter={IN_ORDER} /> : null;
}

function frame(chart: ReadChart) {
  return (
    <>
      <CartesianGrid vertical={false} stroke="var(--hairline)" />
      <XAxis dataKey={CATEGORY} tickFormatter={shortened} tickLine={false} minTickGap={12} />
      <YAxis
        tickFormatter={briefAmount}
        tickLine={false}
        axisLine={false}
        width="auto"
        allowDecimals={chart.series.some(({ values }) => values.some((value) => !Number.isInteger(value ?? 0)))}
      />
      {TIP}
      {keyOf(chart)}
    </>
  );
}

function Bars(props: Sized) {
  return (
    <BarChart {...rootOf(props)}>
      {frame(props.chart)}
      {bars(props.chart, [4, 4, 0, 0])}
    </BarChart>
  );
}

/** Bars below each other, where their labels have room. */
function Listed(props: Sized) {
  return (
    <BarChart {...rootOf(props)} layout="vertical">
      <CartesianGrid horizontal={false} stroke="var(--hairline)" />
      <XAxis type="number" tickFormatter={briefAmount} tickLine={false} />
      <YAxis type="category" dataKey={CATEGORY} width={LABEL_PX} tickLine={false} axisLine={false} interval={0} />
      {TIP}
      {keyOf(props.chart)}
      {bars(props.chart, [0, 4, 4, 0])}
    </BarChart>
  );
}

function bars({ series }: ReadChart, radius: [number, number, number, number]) {
  return series.map(({ key, label, colour }, order) => (
    <Bar
      key={key}
      dataKey={`s${order}`}
      name={label}
      fill={colour}
      radius={radius}
      maxBarSize={44}
      isAnimationActive={false}
    />
  ));
}

function Lines(props: Sized) {
  return (
    <LineChart {...rootOf(props)}>
      {frame(props.chart)}
      {props.chart.series.map(({ key, label, colour }, order) => (
        <Line
          key={key}
          dataKey={`s${order}`}
          name={label}
          stroke={colour}
          strokeWidth={2}
          dot={{ r: 3, fill: colour }}
          isAnimationActive={false}
        />
      ))}
    </LineChart>
  );
}

function Areas(props: Sized) {
  return (
    <AreaChart {...rootOf(props)}>
      {frame(props.chart)}
      {props.chart.series.map(({ key, label, colour }, order) => (
        <Area
          key={key}
          dataKey={`s${order}`}
          name={label}
          stroke={colour}
          strokeWidth={2}
          fill={colour}
          fillOpacity={0.2}
          isAnimationActive={false}
        />
      ))}
    </AreaChart>
  );
}

function Slices(props: Sized) {
  return (
    <PieChart {...rootOf(props)}>
      {TIP}
      <Legend content={Key} itemSorter={IN_ORDER} />
      <Pie
        data={colouredRows(props.chart)}
        dataKey="s0"
        nameKey={CATEGORY}
        outerRadius="88%"
        stroke="var(--raised)"
        strokeWidth={2}
        isAnimationActive={false}
      />
    </PieChart>
  );
}

function Rings(props: Sized) {
  return (
    <RadialBarChart
      {...rootOf(props)}
      data={colouredRows(props.chart)}
      innerRadius="24%"
      outerRadius="84%"
      startAngle={90}
      endAngle={-180}
    >
      {TIP}
      <Legend content={Key} itemSorter={IN_ORDER} />
      <RadialBar dataKey="s0" background={{ fill: "var(--sunken)" }} isAnimationActive={false} />
    </RadialBarChart>
  );
}

function Web(props: Sized) {
  return (
    <RadarChart {...rootOf(props)}>
      <PolarGrid stroke="var(--hairline)" />
      <PolarAngleAxis dataKey={CATEGORY} tickFormatter={shortened} />
      <PolarRadiusAxis
        angle={90 - 180 / Math.max(1, props.chart.categories.length)}
        tickFormatter={briefAmount}
        axisLine={false}
      />
      {TIP}
      {keyOf(props.chart)}
      {props.chart.series.map(({ key, label, colour }, order) => (
        <Radar
          key={key}
          dataKey={`s${order}`}
          name={label}
          stroke={colour}
          fill={colour}
          fillOpacity={0.2}
          isAnimationActive={false}
        />
      ))}
    </RadarChart>
  );
}
