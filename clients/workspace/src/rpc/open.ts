/** Opens the line: this tab's worker takes part in choosing who keeps the data. */
import workerAddress from "../keeper/worker?worker&url";
import { Line } from "./line";

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL: (address: string) => string },
  ): {
    createScriptURL(address: string): string;
  };
}

/** What is missing for the data to lie in this browser; null when nothing is. */
export function missing(): string | null {
  if (!globalThis.isSecureContext) {
    return "This address is not secure. Open the workspace over HTTPS, or on the machine itself as http://localhost.";
  }
  const isAble = "locks" in navigator && "storage" in navigator && "getDirectory" in navigator.storage;
  return isAble ? null : "This browser cannot keep data of its own. A current Chromium, Firefox or Safari can.";
}

export function openLine(): Line {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  const policy = trustedTypes?.createPolicy("adiuva-worker", { createScriptURL: () => workerAddress });
  // Held by the page for as long as it is there.
  new Worker(policy?.createScriptURL(workerAddress) ?? workerAddress, { type: "module" });
  const line = new Line();
  // After a sleep nobody knows whether the connection is still there.
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") {
      void line.keeper.wake();
    }
  });
  return line;
}
