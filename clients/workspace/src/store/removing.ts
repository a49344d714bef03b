/** Deletes rows together with those that belong to them. */
import type { RowWriter } from "@adiuva/client/database";
import type { TableName } from "../rpc/messages";
import type { Report } from "./reporting";

const EVERYTHING = 100_000;
/** The tables whose rows are deleted with a row of a table, and the column that names it. */
const PARTS: Partial<Record<TableName, { readonly tables: readonly TableName[]; readonly column: string }>> = {
  projects: { tables: ["tasks", "notes", "checkpoints"], column: "projectId" },
  tasks: { tables: ["taskComments"], column: "taskId" },
};

/** Whether there was such a row. */
export async function remove(rows: RowWriter, table: TableName, id: string, report?: Report): Promise<boolean> {
  const parts = await partsOf(rows, table, id);
  for (const [index, part] of parts.entries()) {
    report?.(index, parts.length);
    await remove(rows, part.table, part.id);
  }
  return await rows.delete(table, id);
}

async function partsOf(rows: RowWriter, table: TableName, id: string) {
  const { tables, column } = PARTS[table] ?? { tables: [], column: "" };
  const found: { readonly table: TableName; readonly id: string }[] = [];
  for (const each of tables) {
    const parts = await rows.select(each, { [column]: id }, EVERYTHING);
    found.push(...parts.map((part) => ({ table: each, id: String(part.id) })));
  }
  return found;
}
