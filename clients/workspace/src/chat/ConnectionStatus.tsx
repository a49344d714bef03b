/** One unobtrusive line while there is no connection. */

import { Link } from "wouter";
import { t } from "../i18n/translate";
import { useLasting } from "../parts/useLasting";
import { useSnapshot, useStore } from "../rpc/RpcProvider";

/** A connection that comes back at once is not mentioned. */
const PATIENCE_MS = 600;
/** The first one may take longer: nothing was lost. */
const FIRST_PATIENCE_MS = 3_000;

export function ConnectionStatus() {
  const store = useStore();
  const { connection } = useSnapshot();
  const isFirst = (connection.at === "connecting" || connection.at === "waiting") && connection.isFirst;
  // Idle is the store that still opens the data, before it connects.
  const isAway = connection.at !== "online" && connection.at !== "idle";
  const isShown = useLasting(isAway, isFirst ? FIRST_PATIENCE_MS : PATIENCE_MS);
  if (!isShown) {
    return null;
  }
  if (connection.at === "ended") {
    return (
      <p className="line" role="status">
        {t(connection.why)} <Link href="/sign-in">{t("Sign in again")}</Link>
      </p>
    );
  }
  return (
    <p className="line" role="status">
      {isFirst
        ? t("Connecting… Your data is here, and what you ask waits.")
        : t("Reconnecting… Your data is here, and what you ask waits.")}{" "}
      {connection.at === "waiting" && (
        <button type="button" className="button quiet small" onClick={() => void store.wake()}>
          {t("Try now")}
        </button>
      )}
    </p>
  );
}
