/** Preferences, each under a key, that are used in every answer. */

import { type FormEvent, useState } from "react";
import { LONGEST } from "../../chat/remembered";
import { t } from "../../i18n/translate";
import { Correctable } from "../../parts/Correctable";
import { Field } from "../../parts/Field";
import { Problem } from "../../parts/Problem";
import { useStore, useTask } from "../../rpc/RpcProvider";
import { Answered } from "./Answered";
import { ask } from "./rest";
import { useRestList } from "./useRest";

const CORE = "/api/v1/memory/core";
const LONGEST_KEY = 100;

interface Fact {
  readonly id: string;
  readonly key: string;
  readonly value: string;
  readonly unreadable: boolean;
}

export function CoreFacts() {
  const store = useStore();
  const facts = useRestList<Fact>(CORE);
  const keep = async (key: string, value: string) => {
    const kept = await ask<Fact>(store, "PUT", `${CORE}/${encodeURIComponent(key)}`, { value });
    facts.change((known) =>
      [...known.filter(({ id }) => id !== kept.id), kept].toSorted((one, other) => one.key.localeCompare(other.key)),
    );
  };
  const correct = async (fact: Fact, value: string) => {
    await store.correctMemory({ id: fact.id, kind: "preference" }, value);
    facts.change((known) => known.map((each) => (each.id === fact.id ? { ...each, value } : each)));
  };
  const forget = async ({ id }: Fact) => {
    await store.forgetMemory({ id, kind: "preference" });
    facts.change((known) => known.filter((fact) => fact.id !== id));
  };
  return (
    <section className="section">
      <h2>{t("About you")}</h2>
      <p className="muted">{t("The assistant knows all of these in every answer.")}</p>
      <Answered rest={facts}>
        {(known) => (
          <>
            {known.length === 0 && <p className="muted">{t("Nothing yet. Say “Remember that …”, or add it here.")}</p>}
            {known.length > 0 && (
              <ul className="settings-list">
                {known.map((fact) => (
                  <li key={fact.id}>
                    <CoreFact fact={fact} onCorrect={(text) => correct(fact, text)} onForget={() => forget(fact)} />
                  </li>
                ))}
              </ul>
            )}
            <NewFact onKeep={keep} />
          </>
        )}
      </Answered>
    </section>
  );
}

function CoreFact({
  fact: { key, value, unreadable },
  onCorrect,
  onForget,
}: {
  fact: Fact;
  onCorrect: (text: string) => Promise<void>;
  onForget: () => Promise<void>;
}) {
  return (
    <Correctable
      about={unreadable ? t("what cannot be read") : key}
      text={value}
      longest={LONGEST.preference}
      {...(!unreadable && { onCorrect })}
      onForget={onForget}
    >
      {unreadable ? (
        <p className="muted">{t("The server cannot read this any more.")}</p>
      ) : (
        <>
          <p className="small muted">{key}</p>
          <p>{value}</p>
        </>
      )}
    </Correctable>
  );
}

function NewFact({ onKeep }: { onKeep: (key: string, value: string) => Promise<void> }) {
  const [given, setGiven] = useState({ key: "", value: "" });
  const { run, isBusy, error } = useTask();
  const add = async (event: FormEvent) => {
    event.preventDefault();
    if (await run(() => onKeep(given.key, given.value))) {
      // What was written on meanwhile is another one.
      setGiven((now) => (now === given ? { key: "", value: "" } : now));
    }
  };
  return (
    <form className="add" onSubmit={(event) => void add(event)}>
      <Field name={t("What about")}>
        <input
          className="input"
          required
          maxLength={LONGEST_KEY}
          placeholder={t("Favourite tea")}
          value={given.key}
          onChange={(event) => setGiven({ ...given, key: event.target.value })}
        />
      </Field>
      <Field name={t("What to remember")}>
        <input
          className="input"
          required
          maxLength={LONGEST.preference}
          placeholder={t("Assam, without milk")}
          value={given.value}
          onChange={(event) => setGiven({ ...given, value: event.target.value })}
        />
      </Field>
      <button type="submit" className="button" disabled={isBusy}>
        {t("Remember")}
      </button>
      <Problem error={error && t("Not saved: {why}", { why: error })} />
    </form>
  );
}
