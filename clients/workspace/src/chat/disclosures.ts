/** Entries of the server's ledger, with the names of their rows on this device. */
import type { StoreApi, TableName } from "../rpc/messages";

export interface Entry {
  readonly id: string;
  readonly model: string;
  readonly source: string;
  readonly table: TableName;
  readonly row_count: number;
  /** Null if the server cannot tell which. */
  readonly rows: readonly string[] | null;
  readonly left_server: boolean;
  readonly at: string;
}

export interface Named {
  readonly id: string;
  readonly name: string;
}

/** Those of the entry's first `most` rows that this device has. */
export async function namedRows(store: StoreApi, { table, rows }: Entry, most: number): Promise<Named[]> {
  const found = await Promise.all((rows ?? []).slice(0, most).map((id) => store.get(table, id)));
  return found.flatMap((row) => {
    const { id, title, name } = (row ?? {}) as { id: string; title?: string; name?: string };
    const known = title ?? name;
    return known === undefined ? [] : { id, name: known };
  });
}
