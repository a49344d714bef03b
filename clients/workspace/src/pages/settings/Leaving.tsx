/** What the server stores of the user, as a file, and the end of the account. */
import type { Confirmation } from "@adiuva/client";
import { useState } from "react";
import { t } from "../../i18n/translate";
import { dayField } from "../../parts/dates";
import { save } from "../../parts/downloads";
import { Problem } from "../../parts/Problem";
import { useOpener } from "../../parts/useOpener";
import { useStore, useTask } from "../../rpc/RpcProvider";
import { Confirming } from "./Confirming";
import { ask } from "./rest";

const ME = "/api/v1/auth/me";

export function ServerExport() {
  const store = useStore();
  const { run, isBusy, error } = useTask();
  const download = async () => {
    const stored = await ask<unknown>(store, "GET", `${ME}/export`);
    const file = new Blob([JSON.stringify(stored, null, 2)], { type: "application/json" });
    save(file, `adiuva-account-${dayField(Date.now())}.json`);
  };
  return (
    <section className="section">
      <h2>{t("What the server stores")}</h2>
      <p className="muted">
        {t(
          "Your account, settings and what is remembered, as one file. Tasks, projects and notes are not there: copy them under Data.",
        )}
      </p>
      <p className="row">
        <button type="button" className="button" disabled={isBusy} onClick={() => void run(download)}>
          {t("Download it")}
        </button>
      </p>
      <Problem error={error} />
    </section>
  );
}

export function DeleteAccount() {
  const store = useStore();
  const [isOpen, setOpen] = useState(false);
  const opener = useOpener(isOpen);
  const [alsoData, setAlsoData] = useState(false);
  const remove = async (confirmation: Confirmation) => {
    await ask(store, "DELETE", ME, confirmation);
    if (alsoData) {
      await store.deleteEverything();
    }
    await store.signOut();
  };
  return (
    <section className="section">
      <h2>{t("Delete the account")}</h2>
      <p className="muted">
        {t(
          "The account and all that the server stores of you, at once and for good. Data in browsers stays where it is.",
        )}
      </p>
      {isOpen ? (
        <Confirming name={t("Delete the account for good")} isDangerous act={remove} onCancel={() => setOpen(false)}>
          <label className="row">
            <input type="checkbox" checked={alsoData} onChange={({ target }) => setAlsoData(target.checked)} />
            {t("Also delete the data in this browser")}
          </label>
        </Confirming>
      ) : (
        <button ref={opener} type="button" className="button danger" onClick={() => setOpen(true)}>
          {t("Delete the account…")}
        </button>
      )}
    </section>
  );
}
