/** Tables as text, of other programs and of Adiuva. */
import Papa from "papaparse";
import { msg } from "../i18n/msg";
import { UserError } from "../rpc/errors";

export interface Csv {
  readonly columns: readonly string[];
  readonly rows: readonly Readonly<Record<string, string>>[];
  /** The first row, from 1, whose values do not fit the columns; null if all do. */
  readonly damagedRow: number | null;
}

/** The separator is found from the text: in many countries, spreadsheets write semicolons. */
export function readCsv(text: string): Csv {
  const { data, errors, meta } = Papa.parse<Record<string, string>>(text, {
    header: true,
    skipEmptyLines: "greedy",
    transformHeader: (name) => name.trim(),
    transform: (value) => value.replace(/\r\n?/g, "\n"),
  });
  // papaparse counts the columns' names as row 0.
  const quotes = errors.find(({ type }) => type === "Quotes")?.row;
  const damagedRow = quotes ?? data.findIndex(hasMore) + 1;
  return {
    columns: meta.fields ?? [],
    rows: data,
    damagedRow: quotes === undefined && damagedRow === 0 ? null : damagedRow,
  };
}

/** Where papaparse puts values without a column. */
function hasMore({ __parsed_extra: more }: { __parsed_extra?: unknown }): boolean {
  return Array.isArray(more) && more.some((value) => String(value).trim() !== "");
}

/** Throws `UserError`: from a damaged row on, values may be in the wrong columns. */
export function assertIntact({ damagedRow }: Csv, file: string): void {
  if (damagedRow !== null) {
    throw new UserError(msg("{file}, row {row}: its values do not fit the columns. Export it again."), {
      file,
      row: damagedRow,
    });
  }
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
