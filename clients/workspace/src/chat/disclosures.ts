/** Entries of the server's ledger, with the names that their rows have here. */
import type { KeeperApi, TableName } from "../line/messages";

export interface Entry {
  readonly id: string;
  readonly model: string;
  readonly source: string;
  readonly table: TableName;
  readonly row_count: number;
  /** Null: the server cannot say which. */
  readonly rows: readonly string[] | null;
  readonly left_server: boolean;
  readonly at: string;
}

export interface Named {
  readonly id: string;
  readonly name: string;
}

/** The first `most` of the entry's rows, as far as they are here. */
export async function namedRows(keeper: KeeperApi, { table, rows }: Entry, most: number): Promise<Named[]> {
  const found = await Promise.all((rows ?? []).slice(0, most).map((id) => keeper.get(table, id)));
  return found.flatMap((row) => {
    const { id, title, name } = (row ?? {}) as { id: string; title?: string; name?: string };
    const known = title ?? name;
    return known === undefined ? [] : { id, name: known };
  });
}
