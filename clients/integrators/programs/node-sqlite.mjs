/** The client's tables in node:sqlite, which needs a newer Node than the project. */
import { DatabaseSync } from "node:sqlite";
import { Database, nodeSqlite, Tables } from "@adiuva/client/database";

const tables = new Tables(await Database.open(nodeSqlite(new DatabaseSync(":memory:"))));
const task = await tables.insert("tasks", { title: "Buy milk" });
await tables.update("tasks", task.id, { title: "Buy MILK" });
const found = await tables.select("tasks");
const { undone } = await tables.undo({ request: "none" }).catch(() => ({ undone: [] }));
console.log(JSON.stringify({ titles: found.map(({ title }) => title), undone: undone.length }));
await tables.database.close();
