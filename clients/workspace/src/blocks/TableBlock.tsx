import { useState } from "react";

/** Longer tables show this many rows until the user asks for the rest. */
const SHOWN_ROWS = 30;

export interface TableData {
  readonly headers: readonly string[];
  readonly rows: readonly (readonly (string | number | boolean | null)[])[];
}

export function TableBlock({ data }: { data: TableData }) {
  const [isWhole, setWhole] = useState(false);
  const rows = isWhole ? data.rows : data.rows.slice(0, SHOWN_ROWS);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="block scrolls-wide" tabIndex={0} aria-label="Table">
      <table className="data">
        <thead>
          <tr>
            {data.headers.map((header, index) => (
              <th key={index} scope="col">
                {header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={column} className={typeof cell === "number" ? "number" : undefined}>
                  {cell === null ? "" : String(cell)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length < data.rows.length && (
        <button type="button" className="button quiet" onClick={() => setWhole(true)}>
          Show all {data.rows.length} rows
        </button>
      )}
    </section>
  );
}
