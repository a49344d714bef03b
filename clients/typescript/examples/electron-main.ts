/** The main process of a minimal desktop app; docs/desktop.md explains it. */
import { readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import {
  Account,
  AdiuvaClient,
  type Approver,
  headerSockets,
  noteEmbedder,
  type TokenStore,
  type Turn,
} from "@adiuva/client";
import { betterSqlite3, Database, DrizzleExecutor, NoteVectors, ShownJobs, Tables } from "@adiuva/client/database";
import BetterSqlite from "better-sqlite3";
import {
  app,
  BrowserWindow,
  dialog,
  ipcMain,
  Notification,
  powerMonitor,
  safeStorage,
  type WebContents,
} from "electron";
import { WebSocket } from "ws";

const SERVER = process.env.ADIUVA_SERVER ?? "http://127.0.0.1:8000";

/** The refresh token, encrypted with a key of the operating system. */
function sealed(file: string): TokenStore {
  return {
    async load() {
      try {
        return (await safeStorage.decryptStringAsync(await readFile(file))).result;
      } catch {
        // There is none, or the system's key has changed: the user has to sign in again.
        return null;
      }
    },
    async save(refresh) {
      if (refresh === null) {
        await rm(file, { force: true });
      } else {
        await writeFile(file, await safeStorage.encryptStringAsync(refresh), { mode: 0o600 });
      }
    },
  };
}

/** Asks in a system dialog, which is closed when the answer is no longer needed. */
const approve: Approver = async ({ summary, risk }, signal) => {
  const { response } = await dialog.showMessageBox({
    type: risk === "destructive" ? "warning" : "question",
    message: summary,
    buttons: ["No", "Yes"],
    defaultId: 0,
    cancelId: 0,
    signal,
  });
  return { approved: response === 1 };
};

async function forward(turn: Turn, page: WebContents): Promise<void> {
  const tell = (what: string, told: unknown) => page.isDestroyed() || page.send(what, turn.requestId, told);
  try {
    for await (const event of turn) {
      tell("adiuva:event", event);
    }
  } catch (error) {
    tell("adiuva:failed", error instanceof Error ? error.message : String(error));
  }
}

async function main(): Promise<void> {
  // Two programs with the same device id would take the connection from each other.
  if (!app.requestSingleInstanceLock()) {
    app.quit();
    return;
  }
  await app.whenReady();
  const folder = app.getPath("userData");
  const database = await Database.open(betterSqlite3(new BetterSqlite(path.join(folder, "adiuva.sqlite3"))));
  const tables = new Tables(database);
  const shown = new ShownJobs(database);
  const account = new Account({ server: SERVER, store: sealed(path.join(folder, "session")) });

  const client = new AdiuvaClient({
    server: SERVER,
    sockets: headerSockets(WebSocket),
    token: account.token,
    device: {
      id: database.deviceId,
      platform: process.platform,
      appVersion: app.getVersion(),
      timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      language: app.getLocale(),
    },
    executor: new DrizzleExecutor(tables, { onFault: (error) => console.error(error) }),
    approve,
    jobs: {
      note: () => undefined,
      async deliver(update) {
        if (!(await shown.has(update.job_id))) {
          new Notification({ title: "Adiuva", body: update.response ?? update.error?.message ?? "Done." }).show();
          await shown.add(update.job_id);
        }
        return true;
      },
    },
  });

  const embed = noteEmbedder({ server: SERVER, token: account.token, deviceId: database.deviceId });
  const vectors = new NoteVectors(tables, { embed });
  vectors.follow(client);

  const window = new BrowserWindow({
    webPreferences: { preload: path.join(import.meta.dirname, "electron-preload.cjs"), sandbox: true },
  });
  // The client ends after its window.
  const tell = (what: string, told: unknown) => window.isDestroyed() || window.webContents.send(what, told);
  client.onState((state) => tell("adiuva:state", state.at));
  tables.onChange((change) => tell("adiuva:changed", change));

  ipcMain.handle("adiuva:sign-in", async (_event, email: string, password: string) => {
    await account.signIn(email, password);
    client.start();
  });
  ipcMain.handle("adiuva:ask", (event, message: string) => {
    const turn = client.home({ message });
    void forward(turn, event.sender);
    return turn.requestId;
  });
  ipcMain.handle("adiuva:stop", (_event, requestId: string) => client.turn(requestId)?.cancel());
  ipcMain.handle("adiuva:tasks", () => tables.select("tasks", { orderBy: "dueDate" }));

  powerMonitor.on("resume", () => client.wake());
  app.on("will-quit", () => {
    vectors.close();
    client.close();
  });
  if (await account.isSignedIn()) {
    client.start();
  }
  await window.loadFile("index.html");
}

void main();
