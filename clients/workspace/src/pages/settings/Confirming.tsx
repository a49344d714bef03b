/** A form for what the server asks once more who it is: by password, with a code if the user has an app, or by passkey. */
import type { Confirmation } from "@adiuva/client";
import { type FormEvent, type ReactNode, useState } from "react";
import { t } from "../../i18n/translate";
import { Field } from "../../parts/Field";
import { PasswordField } from "../../parts/PasswordField";
import { Problem } from "../../parts/Problem";
import { answered, canUsePasskeys } from "../../parts/passkeys";
import { useStore, useTask } from "../../rpc/RpcProvider";
import { ask } from "./rest";

export function Confirming({
  name,
  isDangerous = false,
  children,
  act,
  onCancel,
}: {
  /** What is done. */
  name: string;
  isDangerous?: boolean;
  /** Other fields, before the password. */
  children?: ReactNode;
  act: (confirmation: Confirmation) => Promise<unknown>;
  onCancel: () => void;
}) {
  const store = useStore();
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const { run, isBusy, error } = useTask();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run(() => act({ password, ...(code !== "" && { code }) }));
  };
  const byPasskey = async () => {
    const passkey = await answered(await ask(store, "POST", "/api/v1/auth/passkeys/confirmation/options", {}));
    return passkey === null ? undefined : await act({ passkey });
  };
  return (
    <form className="stack narrow" onSubmit={submit}>
      {children}
      <PasswordField
        name={t("Your password")}
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
      />
      {error !== "" && (
        <Field name={t("Code of your authenticator app, if you have one")}>
          <input
            className="input"
            autoComplete="one-time-code"
            value={code}
            onChange={({ target }) => setCode(target.value.trim())}
          />
        </Field>
      )}
      <Problem error={error} />
      <p className="row">
        <button type="submit" className={`button ${isDangerous ? "danger" : "primary"}`} disabled={isBusy}>
          {name}
        </button>
        {canUsePasskeys() && (
          <button type="button" className="button" disabled={isBusy} onClick={() => void run(byPasskey)}>
            {t("With a passkey instead")}
          </button>
        )}
        <button type="button" className="button" onClick={onCancel}>
          {t("Cancel")}
        </button>
      </p>
    </form>
  );
}
