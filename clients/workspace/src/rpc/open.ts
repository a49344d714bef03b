/** Starts this tab's worker, which competes with those of other tabs to hold the data, and connects to the store. */
import { chosenLanguage } from "../i18n/language";
import { msg } from "../i18n/msg";
import workerAddress from "../store/worker?worker&url";
import { RpcClient } from "./client";
import { expectedSnapshot, rememberAccount } from "./last_account";
import { trusted } from "./scripts";

/** Why this browser cannot store the data; null if it can. */
export function missing(): string | null {
  if (!globalThis.isSecureContext) {
    return msg(
      "This address is not secure. Open the workspace over HTTPS, or on the machine itself as http://localhost.",
    );
  }
  const isAble = "locks" in navigator && "storage" in navigator && "getDirectory" in navigator.storage;
  return isAble ? null : msg("This browser cannot store data. A current Chromium, Firefox or Safari can.");
}

export function openStore(): RpcClient {
  // The page keeps the worker alive.
  new Worker(trusted(workerAddress), { type: "module" });
  const rpc = new RpcClient(undefined, expectedSnapshot());
  rpc.onEvent((event) => event.type === "snapshot" && rememberAccount(event.snapshot.account));
  // A version before has not told the store.
  void rpc.store.speak(chosenLanguage()).catch(() => undefined);
  // After a sleep the connection may be gone.
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") {
      void rpc.store.wake();
    }
  });
  // Workers do not hear of it in every browser.
  addEventListener("online", () => void rpc.store.wake());
  addEventListener("offline", () => void rpc.store.networkLost());
  return rpc;
}
