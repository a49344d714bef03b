/** Asks an Adiuva server, which works in the tables of this program. Arguments: the server's address, and a message. */
import { createInterface } from "node:readline/promises";
import { Account, AdiuvaClient, type Approver, headerSockets, type TokenStore } from "@adiuva/client";
import { betterSqlite3, Database, DrizzleExecutor, Tables } from "@adiuva/client/database";
import BetterSqlite from "better-sqlite3";
import { WebSocket } from "ws";

const [server = "http://127.0.0.1:8000", message = "Create a task called Buy milk"] = process.argv.slice(2);

/** Keep the refresh token where only the user can read it; this program forgets it when it ends. */
function inMemory(): TokenStore {
  let refresh: string | null = null;
  return {
    load: async () => refresh,
    save: async (token) => {
      refresh = token;
    },
  };
}

/** Asks before a tool does what cannot be taken back. */
const approve: Approver = async ({ summary }, signal) => {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return { approved: (await terminal.question(`${summary} [y/N] `, { signal })).trim() === "y" };
  } catch {
    return null; // It was answered elsewhere, or its time is over.
  } finally {
    terminal.close();
  }
};

const account = new Account({ server, store: inMemory() });
await account.register(`${crypto.randomUUID()}@example.com`, "correct horse battery staple", { language: "en" });

const database = await Database.open(betterSqlite3(new BetterSqlite(":memory:")));
const tables = new Tables(database);
const client = new AdiuvaClient({
  server,
  sockets: headerSockets(WebSocket),
  token: account.token,
  device: { id: database.deviceId, language: "en", timezone: "Europe/Rome" },
  executor: new DrizzleExecutor(tables),
  approve,
});
client.start();

const turn = client.home({ message });
for await (const event of turn) {
  if (event.type === "text") {
    process.stdout.write(event.text);
  }
}
console.log();
for (const task of await tables.select("tasks")) {
  console.log(`- ${task.title}`);
}
client.close();
await database.close();
