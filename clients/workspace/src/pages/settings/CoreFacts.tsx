/** Preferences, each under a key, that are used in every answer. */
import { type FormEvent, useId, useState } from "react";
import { ConfirmButton } from "../../parts/ConfirmButton";
import { Field } from "../../parts/Field";
import { Problem } from "../../parts/Problem";
import { useStore, useTask } from "../../rpc/RpcProvider";
import { Answered } from "./Answered";
import { ask } from "./rest";
import { useRest } from "./useRest";

const CORE = "/api/v1/memory/core";
const LONGEST_KEY = 100;
const LONGEST_VALUE = 2000;

interface Fact {
  readonly id: string;
  readonly key: string;
  readonly value: string;
  readonly unreadable: boolean;
}

export function CoreFacts() {
  const store = useStore();
  const facts = useRest<readonly Fact[]>(CORE);
  const keep = async (key: string, value: string) => {
    const kept = await ask<Fact>(store, "PUT", addressOf(key), { value });
    const others = (facts.value ?? []).filter(({ id }) => id !== kept.id);
    facts.put([...others, kept].toSorted((one, other) => one.key.localeCompare(other.key)));
  };
  const forget = async ({ id, key, unreadable }: Fact) => {
    await ask(store, "DELETE", addressOf(unreadable ? id : key));
    facts.put((facts.value ?? []).filter((fact) => fact.id !== id));
  };
  return (
    <section className="section">
      <h2>About you</h2>
      <p className="muted">The assistant knows all of these in every answer.</p>
      <Answered rest={facts}>
        {(known) => (
          <>
            {known.length === 0 && <p className="muted">Nothing yet. Say “Remember that …”, or add it here.</p>}
            {known.length > 0 && (
              <ul className="settings-list">
                {known.map((fact) => (
                  <li key={fact.id}>
                    <CoreFact fact={fact} onKeep={keep} onForget={() => forget(fact)} />
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

type Keep = (key: string, value: string) => Promise<void>;

function CoreFact({ fact, onKeep, onForget }: { fact: Fact; onKeep: Keep; onForget: () => Promise<void> }) {
  const [text, setText] = useState<string>();
  const { run, isBusy, error } = useTask();
  const field = useId();
  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (await run(() => onKeep(fact.key, text ?? fact.value))) {
      setText(undefined);
    }
  };
  const forget = (
    <ConfirmButton
      isSmall
      name="Forget"
      label={`Forget ${fact.key}`}
      question="Forget this for good?"
      yes="Yes, forget it"
      act={onForget}
    />
  );
  if (fact.unreadable) {
    return (
      <div className="with-action">
        <p className="muted">The server cannot read this any more.</p>
        {forget}
      </div>
    );
  }
  if (text === undefined) {
    return (
      <div className="with-action">
        <div className="entry">
          <p className="small muted">{fact.key}</p>
          <p>{fact.value}</p>
        </div>
        <div className="row">
          <button
            type="button"
            className="button small"
            aria-label={`Change ${fact.key}`}
            onClick={() => setText(fact.value)}
          >
            Change
          </button>
          {forget}
        </div>
      </div>
    );
  }
  return (
    <form className="stack" onSubmit={(event) => void save(event)}>
      <label className="small muted" htmlFor={field}>
        {fact.key}
      </label>
      <textarea
        id={field}
        className="input"
        required
        maxLength={LONGEST_VALUE}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <Problem before="Not saved: " error={error} />
      <p className="row">
        <button type="submit" className="button primary small" disabled={isBusy}>
          Save
        </button>
        <button type="button" className="button small" onClick={() => setText(undefined)}>
          Cancel
        </button>
      </p>
    </form>
  );
}

function NewFact({ onKeep }: { onKeep: Keep }) {
  const [given, setGiven] = useState({ key: "", value: "" });
  const { run, isBusy, error } = useTask();
  const add = async (event: FormEvent) => {
    event.preventDefault();
    if (await run(() => onKeep(given.key, given.value))) {
      setGiven({ key: "", value: "" });
    }
  };
  return (
    <form className="add" onSubmit={(event) => void add(event)}>
      <Field name="What about">
        <input
          className="input"
          required
          maxLength={LONGEST_KEY}
          placeholder="Favourite tea"
          value={given.key}
          onChange={(event) => setGiven({ ...given, key: event.target.value })}
        />
      </Field>
      <Field name="What to remember">
        <input
          className="input"
          required
          maxLength={LONGEST_VALUE}
          placeholder="Assam, without milk"
          value={given.value}
          onChange={(event) => setGiven({ ...given, value: event.target.value })}
        />
      </Field>
      <button type="submit" className="button" disabled={isBusy}>
        Remember
      </button>
      <Problem before="Not saved: " error={error} />
    </form>
  );
}

function addressOf(key: string): string {
  return `${CORE}/${encodeURIComponent(key)}`;
}
