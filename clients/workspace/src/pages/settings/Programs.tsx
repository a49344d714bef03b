/** Personal tokens: other programs that work with the user's data over MCP. */
import type { Confirmation } from "@adiuva/client";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { t } from "../../i18n/translate";
import { ConfirmButton } from "../../parts/ConfirmButton";
import { Copyable } from "../../parts/Copyable";
import { Field } from "../../parts/Field";
import { Problem } from "../../parts/Problem";
import { isoShown } from "../../parts/words";
import { useStore, useTask } from "../../rpc/RpcProvider";
import { Answered } from "./Answered";
import { Confirming } from "./Confirming";
import { PROGRAMS } from "./programs";
import { ask, RestFailure } from "./rest";
import { useRestList } from "./useRest";

const TOKENS = "/api/v1/auth/tokens";

interface Token {
  readonly id: string;
  readonly name: string;
  readonly created_at: string;
  readonly last_used_at: string | null;
  readonly expires_at: string | null;
  readonly scopes: readonly string[];
}

type MadeToken = Token & { readonly token: string };

export function Programs() {
  const store = useStore();
  const tokens = useRestList<Token>(TOKENS);
  const [made, setMade] = useState<MadeToken | null>(null);
  const revoke = async (id: string) => {
    await ask(store, "DELETE", `${TOKENS}/${id}`);
    tokens.change((known) => known.filter((each) => each.id !== id));
    setMade((before) => (before?.id === id ? null : before));
  };
  const note = (token: MadeToken) => {
    tokens.change((known) => [token, ...known]);
    setMade(token);
  };
  return (
    <>
      <section className="section">
        <h2>{t("Your programs")}</h2>
        <p className="muted">
          {t(
            "Editors and assistants that speak MCP can work with your tasks and notes while Adiuva is open here. Each gets a token of its own.",
          )}
        </p>
        <Answered rest={tokens}>
          {(known) => (
            <ul className="settings-list">
              {known.length === 0 && <li className="muted">{t("None yet.")}</li>}
              {known.map((token) => (
                <li key={token.id} className="with-action">
                  <About token={token} />
                  <ConfirmButton
                    isSmall
                    name={t("Revoke")}
                    label={t("Revoke the token of {name}", { name: token.name })}
                    question={t("Revoke it? The program can no longer work with your data.")}
                    yes={t("Yes, revoke it")}
                    no={t("No")}
                    act={() => revoke(token.id)}
                  />
                </li>
              ))}
            </ul>
          )}
        </Answered>
      </section>
      {made === null ? <NewToken onMade={note} /> : <ShownToken made={made} onDone={() => setMade(null)} />}
    </>
  );
}

/** What a program may do. `write` does not include reading, and scopes for one group may come on top of `read`. */
function rightsShown(scopes: readonly string[]): string {
  switch (scopes.join(" ")) {
    case "read write":
      return t("Reads and changes");
    case "read":
      return t("Reads");
    default:
      return scopes.join(", ");
  }
}

function About({ token: { name, scopes, last_used_at, expires_at } }: { token: Token }) {
  const rights = rightsShown(scopes);
  const used = last_used_at === null ? t("not used yet") : t("last used {when}", { when: isoShown(last_used_at) });
  const until = expires_at === null ? t("without an end") : t("until {when}", { when: isoShown(expires_at) });
  return (
    <div className="entry">
      <strong>{name}</strong>
      <p className="small muted">{[rights, used, until].join(" · ")}</p>
    </div>
  );
}

function NewToken({ onMade }: { onMade: (token: MadeToken) => void }) {
  const store = useStore();
  const [name, setName] = useState("");
  const [mayWrite, setMayWrite] = useState(true);
  /** Users with a second factor confirm. */
  const [mustConfirm, setMustConfirm] = useState(false);
  const { run, isBusy, error } = useTask();
  const make = async (confirmation: Confirmation = {}) => {
    const scopes = mayWrite ? ["read", "write"] : ["read"];
    try {
      onMade(await ask<MadeToken>(store, "POST", TOKENS, { name: name.trim(), scopes, ...confirmation }));
    } catch (problem) {
      if (problem instanceof RestFailure && problem.code === "passkey_needed" && !mustConfirm) {
        setMustConfirm(true);
        return;
      }
      throw problem;
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run(() => make());
  };
  return (
    <section className="section">
      <h2>{t("Connect a program")}</h2>
      {mustConfirm ? (
        <Confirming name={t("Make the token")} act={make} onCancel={() => setMustConfirm(false)} />
      ) : (
        <form className="stack narrow" onSubmit={submit}>
          <Field name={t("The program’s name")}>
            <input
              className="input"
              required
              maxLength={100}
              placeholder={t("Such as Cursor")}
              value={name}
              onChange={({ target }) => setName(target.value)}
            />
          </Field>
          <label className="row">
            <input type="checkbox" checked={mayWrite} onChange={({ target }) => setMayWrite(target.checked)} />
            {t("It may also change and delete")}
          </label>
          <Problem error={error} />
          <p className="row">
            <button type="submit" className="button" disabled={isBusy}>
              {t("Make the token")}
            </button>
          </p>
        </form>
      )}
    </section>
  );
}

function ShownToken({ made, onDone }: { made: MadeToken; onDone: () => void }) {
  const address = new URL("/mcp", location.origin).href;
  const shown = useRef<HTMLElement>(null);
  useEffect(() => shown.current?.focus(), []);
  return (
    <section ref={shown} tabIndex={-1} className="section" aria-label={t("The new token")}>
      <h2>{t("The token of {name}", { name: made.name })}</h2>
      <p className="muted">{t("It is shown only once. It is as good as a password: give it to this program alone.")}</p>
      <Copyable label={t("The token")} text={made.token} />
      {PROGRAMS.map(({ name, where, configuration }) => (
        <details key={name}>
          <summary>{name}</summary>
          <p className="small muted">{t(where)}</p>
          <Copyable label={t("Configuration for {name}", { name })} text={configuration(address, made.token)} />
        </details>
      ))}
      <details>
        <summary>{t("Another program")}</summary>
        <p className="small muted">
          {t(
            "It takes the address of a server over streamable HTTP, and the header “Authorization: Bearer” with the token.",
          )}
        </p>
        <Copyable label={t("Address")} text={address} />
      </details>
      <p className="row">
        <button type="button" className="button" onClick={onDone}>
          {t("Done")}
        </button>
      </p>
    </section>
  );
}
