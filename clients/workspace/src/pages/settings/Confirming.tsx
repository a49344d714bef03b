/**
 * A form for what the server asks once more who it is: by password, with a code if the user has an app, or by passkey.
 * It has the focus when it opens.
 */
import type { Confirmation } from "@adiuva/client";
import { type FormEvent, type ReactNode, type RefObject, useEffect, useRef, useState } from "react";
import { t } from "../../i18n/translate";
import { Field } from "../../parts/Field";
import { PasswordField } from "../../parts/PasswordField";
import { Problem } from "../../parts/Problem";
import { answered, canUsePasskeys } from "../../parts/passkeys";
import { isFocusLost } from "../../parts/useFocusInside";
import { useSnapshot, useStore, useTask } from "../../rpc/RpcProvider";
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
  const { account } = useSnapshot();
  const form = useRef<HTMLFormElement>(null);
  useFocusIn(form);
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
    <form ref={form} className="stack narrow" onSubmit={submit}>
      {/* Password managers look for the account that the password is of. */}
      <input hidden readOnly autoComplete="username" value={account.at === "signed-in" ? account.email : ""} />
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

/** What opened the form may be gone when it closes, such as a removed passkey: then its section gets the focus. */
function useFocusIn(form: RefObject<HTMLFormElement | null>): void {
  useEffect(() => {
    const around = form.current?.closest<HTMLElement>("section");
    form.current?.querySelector<HTMLElement>("input:not([hidden])")?.focus();
    return () => {
      if (isFocusLost()) {
        around?.setAttribute("tabindex", "-1");
        around?.focus();
      }
    };
  }, [form]);
}
