/** In a browser without data: on which devices the user's data may be, and how to bring it here. */
import { Link } from "wouter";
import { t } from "../i18n/translate";
import { useRows } from "../rpc/RpcProvider";
import { deviceShown, useOtherDevices } from "./devices";
import { isoShown } from "./words";

export function Elsewhere() {
  const rows = [useRows("tasks", {}, 1), useRows("projects", {}, 1), useRows("notes", {}, 1)];
  return rows.every((found) => found?.length === 0) ? <OtherDevices /> : null;
}

function OtherDevices() {
  const others = useOtherDevices();
  if (others.length === 0) {
    return null;
  }
  return (
    <section className="elsewhere" aria-label={t("Your data on other devices")}>
      <h3>{t("Your data is on another device")}</h3>
      <ul>
        {others.slice(0, 3).map((device) => (
          <li key={device.id}>
            {device.online
              ? t("{device}, connected now", { device: deviceShown(device) })
              : t("{device}, last used {when}", { device: deviceShown(device), when: isoShown(device.last_seen) })}
          </li>
        ))}
      </ul>
      <p className="small muted">
        {t(
          "Data stays on the device where it was made. To bring it here, open Settings → Data there, download a copy, and restore that file here.",
        )}
      </p>
      <Link className="button" href="/settings/data">
        {t("Restore from a copy…")}
      </Link>
    </section>
  );
}
