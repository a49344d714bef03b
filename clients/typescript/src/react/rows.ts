/** Rows of the user's tables as React shows them. */
import { useEffect, useState } from "react";
import type { RowOf, Tables } from "../database/tables.js";

export interface Rows<Row> {
  /** Undefined until they are read for the first time. */
  readonly rows: readonly Row[] | undefined;
  /** Why they could not be read the last time; the rows before stay. */
  readonly error: Error | undefined;
}

/**
 * The rows of a table, read again after every change of that table, by the user or the assistant.
 *
 * `wanted` is compared by its JSON, so that it may be written in place.
 */
export function useRows<Table extends keyof RowOf>(
  tables: Pick<Tables, "select" | "onChange">,
  table: Table,
  wanted: Parameters<Tables["select"]>[1] = {},
): Rows<RowOf[Table]> {
  const [found, setFound] = useState<Rows<RowOf[Table]>>({ rows: undefined, error: undefined });
  const key = JSON.stringify(wanted);
  useEffect(() => {
    let latest = 0;
    const read = () => {
      latest += 1;
      const mine = latest;
      // An answer that a later one has overtaken is not shown.
      tables.select(table, JSON.parse(key)).then(
        (rows) => mine === latest && setFound({ rows, error: undefined }),
        (error: Error) => mine === latest && setFound((before) => ({ ...before, error })),
      );
    };
    const stop = tables.onChange((change) => change.table === table && read());
    read();
    return () => {
      latest = -1;
      stop();
    };
  }, [tables, table, key]);
  return found;
}
