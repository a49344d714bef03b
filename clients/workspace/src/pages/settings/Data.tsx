/** Where the data is stored, how to copy it, and how to delete it. */

import { useState } from "react";
import { Link } from "wouter";
import { currentLanguage } from "../../i18n/language";
import { T, t } from "../../i18n/translate";
import { useIsKept } from "../../offline/persistence";
import { ConfirmButton } from "../../parts/ConfirmButton";
import { Problem } from "../../parts/Problem";
import { useStore, useTask } from "../../rpc/RpcProvider";
import { Backup } from "./Backup";
import { Copies } from "./Copies";
import { Export } from "./Export";
import { Import } from "./Import";

export function Data() {
  return (
    <>
      <Place />
      <Backup />
      <Copies />
      <Import />
      <Export />
      <DeleteAll />
    </>
  );
}

function Place() {
  const store = useStore();
  const { run, isBusy, error } = useTask();
  return (
    <section className="section">
      <h2>{t("Your data")}</h2>
      <p className="muted">
        {t(
          "Tasks, projects, notes, dates and conversations are stored in this browser, in its own database. The server asks for what a question needs and keeps none of it. Clearing the site’s data in the browser deletes them: keep a copy.",
        )}
      </p>
      <p className="row">
        <button
          type="button"
          className="button"
          disabled={isBusy}
          onClick={() => void run(() => store.loadExamples(currentLanguage()))}
        >
          {t("Load example data")}
        </button>
      </p>
      <Kept />
      <Problem error={error} />
    </section>
  );
}

function Kept() {
  const [isKept, ask] = useIsKept();
  if (isKept === null) {
    return null;
  }
  return (
    <p className="row">
      <span className="small muted">
        {isKept
          ? t("The browser keeps this data until you delete it.")
          : t("The browser may delete this data when the disk is nearly full.")}
      </span>
      {!isKept && (
        <button type="button" className="button small" onClick={() => void ask()}>
          {t("Ask it to keep the data")}
        </button>
      )}
    </p>
  );
}

function DeleteAll() {
  const store = useStore();
  const [isDone, setDone] = useState(false);
  const remove = async () => {
    setDone(false);
    await store.deleteEverything();
    setDone(true);
  };
  return (
    <section className="section" aria-label={t("Delete the data in this browser")}>
      <h2>{t("Delete all data in this browser")}</h2>
      <p className="muted">
        <T
          text="All of it, conversations too, for good and in this browser alone. If you might want it back, download a copy before. You stay signed in. What the assistant remembers about you is on the server, under <0>Memory</0>."
          elements={[<Link key="memory" href="/settings/memory" />]}
        />
      </p>
      <ConfirmButton
        name={t("Delete everything here…")}
        question={t("Delete all tasks, projects, notes and conversations in this browser?")}
        yes={t("Yes, delete all")}
        act={remove}
      />
      <p className="small" role="status">
        {isDone && t("Everything here is deleted.")}
      </p>
    </section>
  );
}
