/** One unobtrusive line while there is no connection. */

import { useEffect, useState } from "react";
import { Link } from "wouter";
import { t } from "../i18n/translate";
import { useSnapshot, useStore } from "../rpc/RpcProvider";

/** A connection that comes back at once is not mentioned. */
const PATIENCE_MS = 600;

export function ConnectionStatus() {
  const store = useStore();
  const { connection } = useSnapshot();
  // Idle is the store that still opens the data, before it connects.
  const isAway = connection.at !== "online" && connection.at !== "idle";
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    if (!isAway) {
      setShown(false);
      return;
    }
    const timer = setTimeout(() => setShown(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [isAway]);
  if (!isShown || !isAway) {
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
      {t("Reconnecting… Your data is here, and what you ask waits.")}{" "}
      {connection.at === "waiting" && (
        <button type="button" className="button quiet small" onClick={() => void store.wake()}>
          {t("Try now")}
        </button>
      )}
    </p>
  );
}
