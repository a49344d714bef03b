import { useState } from "react";
import { t } from "../i18n/translate";
import { Dialog } from "../parts/Dialog";
import { FULL } from "../parts/kept";
import { Problem } from "../parts/Problem";
import { hasSingleKeys, keyShown, setSingleKeys } from "./keys";
import { KEYS } from "./listed_keys";

export function KeyHelp({ onClose }: { onClose: () => void }) {
  const [isOn, setOn] = useState(hasSingleKeys);
  const [isKept, setKept] = useState(true);
  return (
    <Dialog title={t("Keys")} onClose={onClose}>
      <label className="row single-keys">
        <input
          type="checkbox"
          checked={isOn}
          onChange={({ target }) => {
            setKept(setSingleKeys(target.checked));
            setOn(hasSingleKeys());
          }}
        />
        {t("Keys without {key} work, too", { key: keyShown("Ctrl") })}
      </label>
      <Problem error={isKept ? "" : t(FULL)} />
      {KEYS.map(([where, keys]) => (
        <section key={where} className="keys">
          <h3>{t(where)}</h3>
          <dl>
            {keys.map(({ keys: pressed, does }) => (
              <div key={pressed.join(" ") + does}>
                <dt>
                  {pressed.map((key) => (
                    <kbd key={key}>{keyShown(t(key))}</kbd>
                  ))}
                </dt>
                <dd>{t(does)}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
      <div className="actions">
        <button type="button" className="button" onClick={onClose}>
          {t("Close")}
        </button>
      </div>
    </Dialog>
  );
}
