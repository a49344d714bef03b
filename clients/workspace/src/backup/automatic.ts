/** Makes backups by itself: every day into a folder, every week as a download. */
import { t } from "../i18n/translate";
import { dayField } from "../parts/dates";
import { save } from "../parts/downloads";
import type { StoreApi } from "../rpc/messages";
import { seal } from "./format";
import { type Plan, planOf, savePlan } from "./plan";

const DAY_MS = 24 * 60 * 60_000;
const WEEK_MS = 7 * DAY_MS;
/** How many backups of this browser stay in the folder. */
const KEPT = 10;
const LOCK = "adiuva-backup";
const ENDING = ".adiuva-backup";

/** The types of pages lack what Chromium has. */
type Folder = FileSystemDirectoryHandle & {
  queryPermission?(how: { mode: "readwrite" }): Promise<PermissionState>;
  requestPermission?(how: { mode: "readwrite" }): Promise<PermissionState>;
  keys(): AsyncIterable<string>;
};

/** One tab makes the backup if it is time for one. */
export async function backUpIfDue(store: StoreApi, account: string, now = Date.now()): Promise<void> {
  await navigator.locks.request(LOCK, { ifAvailable: true }, async (lock) => {
    const plan = lock === null ? null : await planOf(account);
    if (plan !== null && isDue(plan, now)) {
      // What went wrong is shown in Settings.
      await backUp(store, account, plan, now).catch(() => undefined);
    }
  });
}

export function isDue({ folder, lastAt }: Plan, now: number): boolean {
  return lastAt === null || now - lastAt >= (folder === null ? WEEK_MS : DAY_MS);
}

/** Makes a backup now. Throws if it cannot be written; the plan then says why. */
export async function backUp(store: StoreApi, account: string, plan: Plan, now = Date.now()): Promise<Plan> {
  try {
    const device = (await store.deviceId()).slice(0, 6);
    const backup = await seal(await store.exportCopy(), plan);
    const name = `adiuva-${dayField(now)}-${device}${ENDING}`;
    await (plan.folder === null ? save(backup, name) : write(plan.folder, name, backup, `-${device}${ENDING}`));
    const made = { ...plan, lastAt: now, failure: null };
    await savePlan(account, made);
    return made;
  } catch (error) {
    await savePlan(account, { ...plan, failure: error instanceof Error ? error.message : String(error) });
    throw error;
  }
}

/** Asks the user for the folder once more, as browsers do after a restart. */
export async function allowFolder(folder: FileSystemDirectoryHandle): Promise<boolean> {
  return (await (folder as Folder).requestPermission?.({ mode: "readwrite" })) !== "denied";
}

async function write(handle: FileSystemDirectoryHandle, name: string, backup: Blob, mine: string): Promise<void> {
  const folder = handle as Folder;
  if ((await folder.queryPermission?.({ mode: "readwrite" })) === "prompt") {
    throw new Error(t("The browser asks again whether the folder may be used: press “Back up now”."));
  }
  const file = await (await folder.getFileHandle(name, { create: true })).createWritable();
  // The file of before stays until this is complete.
  await file.write(backup);
  await file.close();
  const names: string[] = [];
  for await (const each of folder.keys()) {
    if (each.startsWith("adiuva-") && each.endsWith(mine)) {
      names.push(each);
    }
  }
  for (const old of names.sort().slice(0, -KEPT)) {
    await folder.removeEntry(old);
  }
}
