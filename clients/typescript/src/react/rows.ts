/** Rows of the user's tables as React shows them. */
import { useEffect, useState } from "react";
import type { RowOf, Tables } from "../database/tables.js";

export interface Rows<Row> {
  /** Undefined until they are read for the first time. */
  readonly rows: readonly Row[] | undefined;
  /** Why they could not be read the last time; the rows before stay. */
  readonly error: Error | undefined;
}

/** What was read, and of what. */
interface Read<Row> extends Rows<Row> {
  readonly tables: unknown;
  readonly table: string;
}

const NOTHING = { rows: undefined, error: undefined };

/**
 * The rows of a table, read again after every change of that table, by the user or the assistant.
 *
 * `wanted` is compared by its JSON, so that it may be written in place. Until what is newly wanted is read, the rows
 * before stay; those of another table, or of another user's tables, do not.
 */
export function useRows<Table extends keyof RowOf>(
  tables: Pick<Tables, "select" | "onChange">,
  table: Table,
  wanted: Parameters<Tables["select"]>[1] = {},
): Rows<RowOf[Table]> {
  const [found, setFound] = useState<Read<RowOf[Table]>>({ ...NOTHING, tables, table });
  const key = JSON.stringify(wanted);
  useEffect(() => {
    let latest = 0;
    const rowsIn = (before: Read<RowOf[Table]>) => (isOf(before, tables, table) ? before.rows : undefined);
    const read = () => {
      latest += 1;
      const mine = latest;
      // An answer that a later one has overtaken is not shown.
      tables.select(table, JSON.parse(key)).then(
        (rows) => mine === latest && setFound({ rows, error: undefined, tables, table }),
        (error: Error) => mine === latest && setFound((before) => ({ rows: rowsIn(before), error, tables, table })),
      );
    };
    const stop = tables.onChange((change) => change.table === table && read());
    read();
    return () => {
      latest = -1;
      stop();
    };
  }, [tables, table, key]);
  return isOf(found, tables, table) ? found : NOTHING;
}

function isOf(read: Read<unknown>, tables: unknown, table: string): boolean {
  return read.tables === tables && read.table === table;
}
