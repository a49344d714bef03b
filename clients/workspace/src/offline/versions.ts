/** The service worker, which opens the pages without the server, and its new versions. */
import { useSyncExternalStore } from "react";
import { trusted } from "../rpc/scripts";

const HOUR_MS = 60 * 60_000;
const AGAIN_MS = 1000;

/** A new version that is loaded and waits for the user. */
let waiting: ServiceWorker | null = null;
let isWanted = false;
const listeners = new Set<() => void>();

/** Caches the workspace, and looks for new versions every hour and when the connection returns. */
export async function keepOffline(): Promise<void> {
  const { serviceWorker } = navigator as { serviceWorker?: ServiceWorkerContainer };
  if (serviceWorker === undefined) {
    return;
  }
  serviceWorker.addEventListener("controllerchange", () => isWanted && location.reload());
  const registration = await serviceWorker.register(trusted(`${import.meta.env.BASE_URL}service-worker.js`));
  note(registration.waiting);
  registration.addEventListener("updatefound", () => {
    const { installing } = registration;
    installing?.addEventListener("statechange", () => {
      // Without a controller this is the first version, and nothing to announce.
      if (installing.state === "installed" && serviceWorker.controller !== null) {
        note(installing);
      }
    });
  });
  const look = () => void registration.update().catch(() => undefined);
  setInterval(look, HOUR_MS);
  addEventListener("online", look);
}

/** Whether a new version is ready to be used. */
export function useNewVersion(): boolean {
  return useSyncExternalStore(
    (changed) => {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
    () => waiting !== null,
  );
}

/** Loads the page again with the new version. */
export function changeToNewVersion(): void {
  if (waiting === null || waiting.state === "activated") {
    // Another tab has already changed to it.
    location.reload();
    return;
  }
  isWanted = true;
  activate(waiting);
}

/** Asks again until it is done: a browser that is just stopping the idle worker may lose the message. */
function activate(worker: ServiceWorker): void {
  if (worker.state === "installed") {
    worker.postMessage("activate");
    setTimeout(() => activate(worker), AGAIN_MS);
  }
}

function note(worker: ServiceWorker | null): void {
  waiting = worker;
  for (const changed of listeners) {
    changed();
  }
}
