/** Which rows refer to which. */
import type { TableName } from "./columns.js";

/** The column of each table that has the id of another row, and that row's table. */
export const REFERENCES: Readonly<Record<TableName, { readonly column: string; readonly to: TableName }>> = {
  tasks: { column: "projectId", to: "projects" },
  projects: { column: "clientId", to: "clients" },
  checkpoints: { column: "projectId", to: "projects" },
  notes: { column: "projectId", to: "projects" },
  taskComments: { column: "taskId", to: "tasks" },
  clients: { column: "parentId", to: "clients" },
};
