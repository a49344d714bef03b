/** Forgetting everything at once, which takes the password. */

import { type FormEvent, useState } from "react";
import { t } from "../../i18n/translate";
import { Field } from "../../parts/Field";
import { Problem } from "../../parts/Problem";
import { useOpener } from "../../parts/useOpener";
import { MEMORY } from "../../rpc/messages";
import { useStore, useTask } from "../../rpc/RpcProvider";
import { ask } from "./rest";

export function ForgetAll({ onForgotten }: { onForgotten: () => void }) {
  const store = useStore();
  const [isAsking, setAsking] = useState(false);
  const opener = useOpener(isAsking);
  const [password, setPassword] = useState("");
  const { run, isBusy, error } = useTask();
  const forget = async (event: FormEvent) => {
    event.preventDefault();
    if (await run(() => ask(store, "DELETE", MEMORY, { password }))) {
      onForgotten();
    }
  };
  return (
    <section className="section">
      <h2>{t("Forget everything")}</h2>
      <p className="muted">
        {t("Everything that is listed here, for good. Tasks, projects and notes are not touched.")}
      </p>
      {isAsking ? (
        <form className="stack narrow" onSubmit={(event) => void forget(event)}>
          <Field name={t("Your password")}>
            <input
              className="input"
              type="password"
              autoComplete="current-password"
              required
              // biome-ignore lint/a11y/noAutofocus: it has just been asked for
              autoFocus
              value={password}
              onChange={(event) => setPassword(event.target.value)}
            />
          </Field>
          <Problem error={error} />
          <p className="row">
            <button type="submit" className="button danger" disabled={isBusy}>
              {t("Forget everything")}
            </button>
            <button type="button" className="button" onClick={() => setAsking(false)}>
              {t("Keep it")}
            </button>
          </p>
        </form>
      ) : (
        <button ref={opener} type="button" className="button" onClick={() => setAsking(true)}>
          {t("Forget everything…")}
        </button>
      )}
    </section>
  );
}
