export interface TableData {
  readonly headers: readonly string[];
  readonly rows: readonly (readonly (string | number | boolean | null)[])[];
}

export function TableBlock({ data }: { data: TableData }) {
  return (
    <div className="block scrolls-wide">
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
          {data.rows.map((row, index) => (
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
    </div>
  );
}
