/** Tables as text, of other programs and of Adiuva. */
import Papa from "papaparse";

export interface Csv {
  readonly columns: readonly string[];
  readonly rows: readonly Readonly<Record<string, string>>[];
}

/** The separator is found from the text: in many countries, spreadsheets write semicolons. */
export function readCsv(text: string): Csv {
  const { data, meta } = Papa.parse<Record<string, string>>(text, {
    header: true,
    skipEmptyLines: "greedy",
    transformHeader: (name) => name.trim(),
    transform: (value) => value.replace(/\r\n?/g, "\n"),
  });
  return { columns: meta.fields ?? [], rows: data };
}

/** A spreadsheet takes what begins like this for a formula. */
const FORMULA = /^'*[=+\-@\t\r]/;

export function writeCsv(columns: readonly string[], rows: readonly (readonly (string | number | null)[])[]): string {
  return Papa.unparse({ fields: [...columns], data: rows.map((row) => [...row]) }, { escapeFormulae: FORMULA });
}

/** A value as it was before `writeCsv` put an apostrophe before it. */
export function unescaped(value: string): string {
  return value.startsWith("'") && FORMULA.test(value) ? value.slice(1) : value;
}
