/** The account's devices, by the names that people know. */
import { useEffect, useState } from "react";
import { t } from "../i18n/translate";
import { useSnapshot, useStore } from "../rpc/RpcProvider";
import { platformShown } from "./words";

export interface Device {
  readonly id: string;
  readonly device_id: string;
  readonly platform: string;
  readonly app_version: string;
  readonly first_seen: string;
  readonly last_seen: string;
  readonly online: boolean;
}

/** `Chrome on Mac`. */
export function deviceShown({ platform, app_version }: Device): string {
  return [browserShown(platform), app_version].filter(Boolean).join(" ");
}

/** The same for what a device says of itself. */
export function browserShown(platform: string): string {
  const [browser, system] = platform.split(" on ");
  return browser && system ? t("{browser} on {system}", { browser, system }) : platformShown(platform);
}

/** The other devices, the one used last first; empty until they are known, as without the server. */
export function useOtherDevices(): readonly Device[] {
  const store = useStore();
  const isOnline = useSnapshot().connection.at === "online";
  const [others, setOthers] = useState<readonly Device[]>([]);
  useEffect(() => {
    if (!isOnline) {
      return;
    }
    Promise.all([store.rest("GET", "/api/v1/devices"), store.deviceId()]).then(
      ([{ status, body }, here]) => {
        const devices = status === 200 ? (body as { results: readonly Device[] }).results : [];
        const newest = devices.toSorted((one, other) => Date.parse(other.last_seen) - Date.parse(one.last_seen));
        setOthers(newest.filter(({ device_id }) => device_id !== here));
      },
      () => undefined,
    );
  }, [store, isOnline]);
  return others;
}
