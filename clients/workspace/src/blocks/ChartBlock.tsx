/** A chart, drawn without a library: six kinds, and the same numbers as a table for screen readers. */
import { type ComponentType, useEffect, useRef, useState } from "react";
import { Bars, Lines } from "./CartesianChart";
import { type ChartData, type ChartType, type Drawn, type ReadChart, readChart } from "./chart_data";
import { colourAt } from "./colours";
import { Pie, Radar, Radial } from "./RoundChart";

export type { ChartData } from "./chart_data";

const HEIGHT = 240;
const USUAL_WIDTH = 560;

const DRAWINGS: Record<ChartType, ComponentType<Drawn>> = {
  area: (drawn) => <Lines {...drawn} isFilled />,
  line: (drawn) => <Lines {...drawn} />,
  bar: Bars,
  pie: Pie,
  radar: Radar,
  radial: Radial,
};

export function ChartBlock({ data }: { data: ChartData }) {
  const place = useRef<HTMLDivElement>(null);
  const width = useWidth(place);
  const chart = readChart(data);
  const Drawing = DRAWINGS[data.chartType] ?? Bars;
  return (
    <figure className="block chart">
      <figcaption>{data.title}</figcaption>
      <div ref={place}>
        <svg viewBox={`0 0 ${width} ${HEIGHT}`} role="img" aria-label={`${data.chartType} chart: ${data.title}`}>
          <Drawing chart={chart} width={width} height={HEIGHT} />
        </svg>
      </div>
      <Legend chart={chart} isByCategory={data.chartType === "pie" || data.chartType === "radial"} />
      <Numbers chart={chart} title={data.title} />
    </figure>
  );
}

function Legend({ chart: { categories, series }, isByCategory }: { chart: ReadChart; isByCategory: boolean }) {
  const entries = isByCategory
    ? categories.map((name, index) => ({ name: `${name}: ${series[0]?.values[index] ?? 0}`, colour: colourAt(index) }))
    : series.map(({ label, colour }) => ({ name: label, colour }));
  return (
    <ul className="legend" aria-hidden="true">
      {entries.map(({ name, colour }) => (
        <li key={name}>
          <svg viewBox="0 0 10 10">
            <rect width="10" height="10" rx="3" fill={colour} />
          </svg>
          {name}
        </li>
      ))}
    </ul>
  );
}

function Numbers({ chart: { categories, series }, title }: { chart: ReadChart; title: string }) {
  return (
    // A table is always as large as its cells and would be scrolled to; its container is not.
    <div className="unseen">
      <table>
        <caption>{title}</caption>
        <thead>
          <tr>
            <th scope="col">Category</th>
            {series.map(({ key, label }) => (
              <th key={key} scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {categories.map((category, index) => (
            <tr key={index}>
              <th scope="row">{category}</th>
              {series.map(({ key, values }) => (
                <td key={key}>{values[index]}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The element's width, so that text keeps its size at any width. */
function useWidth(place: React.RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(USUAL_WIDTH);
  useEffect(() => {
    const element = place.current;
    if (element === null || typeof ResizeObserver === "undefined") {
      return;
    }
    const observer = new ResizeObserver(([entry]) => {
      setWidth(Math.max(220, Math.round(entry?.contentRect.width ?? USUAL_WIDTH)));
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [place]);
  return width;
}
