/** A chart of six kinds, and its numbers as a table. */
import { lazy, Suspense } from "react";
import { t } from "../i18n/translate";
import { Boundary } from "../parts/Boundary";
import { amountShown, CHART_TYPES, type ChartData, hasNumbers, type ReadChart, readChart } from "./chart_data";

export type { ChartData } from "./chart_data";

const Drawing = lazy(() => import("./Drawing"));

export function ChartBlock({ data }: { data: ChartData }) {
  const chart = readChart(data);
  const type = CHART_TYPES.find((known) => known === data.chartType) ?? "bar";
  return (
    <figure className="block chart">
      <figcaption>{data.title}</figcaption>
      {hasNumbers(chart) ? (
        <>
          <Boundary of={data} instead={() => <p className="muted small">{t("The drawing could not be loaded.")}</p>}>
            <Suspense fallback={<div className="drawing" />}>
              <div className="drawing">
                <Drawing chart={chart} type={type} title={data.title} />
              </div>
            </Suspense>
          </Boundary>
          <details className="numbers">
            <summary>{t("Numbers")}</summary>
            <Numbers chart={chart} title={data.title} />
          </details>
        </>
      ) : (
        <p className="muted">{t("There are no numbers to draw yet.")}</p>
      )}
    </figure>
  );
}

function Numbers({ chart: { categories, series }, title }: { chart: ReadChart; title: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="scrolls-wide" tabIndex={0} aria-label={title}>
      <table className="data">
        <caption className="unseen">{title}</caption>
        <thead>
          <tr>
            <th scope="col">{t("Category")}</th>
            {series.map(({ key, label }) => (
              <th key={key} scope="col" className="number">
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
                <td key={key} className="number">
                  {values[index] == null ? "" : amountShown(values[index])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
