/** Says that a new version of the workspace is ready. */
import { useState } from "react";
import { t } from "../i18n/translate";
import { changeToNewVersion, useNewVersion } from "./versions";

export function NewVersion() {
  const isReady = useNewVersion();
  const [isLater, setLater] = useState(false);
  return (
    <div className="new-version" role="status">
      {isReady && !isLater && (
        <p className="card-like row">
          <span className="grows">{t("A new version of Adiuva is ready.")}</span>
          <button type="button" className="button primary small" onClick={changeToNewVersion}>
            {t("Use it now")}
          </button>
          <button type="button" className="button small" onClick={() => setLater(true)}>
            {t("Later")}
          </button>
        </p>
      )}
    </div>
  );
}
