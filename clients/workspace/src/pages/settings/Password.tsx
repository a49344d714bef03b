/** Changes the password. */
import type { Confirmation } from "@adiuva/client";
import { useState } from "react";
import { t } from "../../i18n/translate";
import { PasswordField } from "../../parts/PasswordField";
import { useOpener } from "../../parts/useOpener";
import { useStore } from "../../rpc/RpcProvider";
import { Confirming } from "./Confirming";

const SHORTEST = 10;

export function Password() {
  const store = useStore();
  const [isOpen, setOpen] = useState(false);
  const opener = useOpener(isOpen);
  const [isDone, setDone] = useState(false);
  const [password, setPassword] = useState("");
  const change = async (confirmation: Confirmation) => {
    if (password.length < SHORTEST) {
      throw new Error(t("The new password is too short."));
    }
    await store.changePassword(password, confirmation);
    setPassword("");
    setOpen(false);
    setDone(true);
  };
  return (
    <section className="section">
      <h2>{t("Password")}</h2>
      <p className="muted">{t("A new one ends all other sign-ins and the tokens of your programs.")}</p>
      {isOpen ? (
        <Confirming name={t("Change the password")} act={change} onCancel={() => setOpen(false)}>
          <PasswordField
            name={t("New password, at least {count} characters", { count: SHORTEST })}
            autoComplete="new-password"
            shortest={SHORTEST}
            value={password}
            onChange={setPassword}
          />
        </Confirming>
      ) : (
        <button ref={opener} type="button" className="button" onClick={() => setOpen(true)}>
          {t("Change the password…")}
        </button>
      )}
      <p className="small" role="status">
        {isDone && t("The password is changed.")}
      </p>
    </section>
  );
}
