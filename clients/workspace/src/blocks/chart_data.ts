/** A chart's data as it is drawn: categories, and series of numbers over them. Pure. */
import { colourAt, coloursFor } from "./colours";

const LABEL_CHARACTERS = 12;

export const CHART_TYPES = ["area", "bar", "line", "pie", "radar", "radial"] as const;
export type ChartType = (typeof CHART_TYPES)[number];

export interface ChartData {
  readonly chartType: ChartType;
  readonly title: string;
  readonly data: readonly Readonly<Record<string, string | number | boolean | null>>[];
  readonly config: Readonly<Record<string, { readonly label?: string; readonly color?: string }>>;
}

export interface Series {
  readonly key: string;
  readonly label: string;
  readonly colour: string;
  /** One for each category; null where there is no number. */
  readonly values: readonly (number | null)[];
}

export interface ReadChart {
  readonly categories: readonly string[];
  readonly series: readonly Series[];
}

/** The input of a drawing. */
export interface Drawn {
  readonly chart: ReadChart;
  /** In pixels. */
  readonly width: number;
  readonly height: number;
}

/** The first column that holds no numbers names the categories; the configured columns of numbers are the series. */
export function readChart({ data, config }: ChartData): ReadChart {
  const columns = [...new Set(data.flatMap((row) => Object.keys(row)))];
  const numbers = columns.filter((column) => data.some((row) => typeof row[column] === "number"));
  const configured = numbers.filter((column) => Object.hasOwn(config, column));
  const drawn = configured.length > 0 ? configured : numbers;
  const category = columns.find((column) => !numbers.includes(column)) ?? columns.find((each) => !drawn.includes(each));
  const colours = coloursFor(drawn.map((key) => config[key]?.color));
  return {
    categories: data.map((row, index) => String((category === undefined ? undefined : row[category]) ?? index + 1)),
    series: drawn.map((key, index) => ({
      key,
      label: config[key]?.label ?? key,
      colour: colours[index] ?? colourAt(index),
      values: data.map((row) => (typeof row[key] === "number" ? (row[key] as number) : null)),
    })),
  };
}

/** Round numbers from 0 (or below) to above the largest value, for the axis: about four steps. */
export function ticksOf(series: readonly Series[]): number[] {
  const values = series.flatMap((each) => each.values.filter((value) => value !== null));
  const most = Math.max(0, ...values);
  const least = Math.min(0, ...values);
  const rough = (most - least || 1) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(
    ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power,
    rough < 1 && isWhole(values) ? 1 : 0,
  );
  const from = Math.floor(least / step);
  const to = Math.max(from + 1, Math.ceil(most / step));
  return Array.from({ length: to - from + 1 }, (_none, index) => Number(((from + index) * step).toPrecision(12)));
}

function isWhole(values: readonly number[]): boolean {
  return values.every(Number.isInteger);
}

/** The label, cut to the space that an axis has. */
export function shortened(text: string): string {
  return text.length > LABEL_CHARACTERS ? `${text.slice(0, LABEL_CHARACTERS - 1)}…` : text;
}
