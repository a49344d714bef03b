/** A chart's data as it is drawn: categories, and series of numbers over them. Pure. */
import { numberFormat } from "../i18n/formats";
import { colourAt, coloursFor } from "./colours";

/** Longer labels do not fit below an axis. */
const LABEL_CHARACTERS = 14;

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

/** Whether there is anything to draw: a number. */
export function hasNumbers({ series }: ReadChart): boolean {
  return series.some(({ values }) => values.some((value) => value !== null));
}

/** Whether its labels need more room than below a bar. */
export function isLong({ categories }: ReadChart): boolean {
  return categories.some((category) => category.length > LABEL_CHARACTERS);
}

/** A number as a tooltip or a table shows it: `1,250,000`. */
export function amountShown(amount: number): string {
  return numberFormat({ maximumFractionDigits: 2 }).format(amount);
}

/** A number as an axis shows it: `1.3M`. */
export function briefAmount(amount: number): string {
  return numberFormat({ notation: "compact", maximumFractionDigits: 1 }).format(amount);
}

/** A label for the space below an axis: its middle is left out, because labels often begin alike. */
export function shortened(text: string): string {
  const kept = (LABEL_CHARACTERS - 2) / 2;
  return text.length > LABEL_CHARACTERS ? `${text.slice(0, kept + 1).trim()}…${text.slice(-kept).trim()}` : text;
}
