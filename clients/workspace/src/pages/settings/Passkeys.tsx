/** Passkeys: signing in by a device or a security key. */
import type { Confirmation } from "@adiuva/client";
import { useState } from "react";
import { t } from "../../i18n/translate";
import { Field } from "../../parts/Field";
import { canUsePasskeys, made } from "../../parts/passkeys";
import { useOpener } from "../../parts/useOpener";
import { useStore } from "../../rpc/RpcProvider";
import { Answered } from "./Answered";
import { Confirming } from "./Confirming";
import { Factor } from "./Factor";
import { ask } from "./rest";
import { useRestList } from "./useRest";

const PASSKEYS = "/api/v1/auth/passkeys";

interface Passkey {
  readonly id: string;
  readonly name: string;
  readonly backed_up: boolean;
  readonly created_at: string;
  readonly last_used_at: string | null;
}

export function Passkeys() {
  const passkeys = useRestList<Passkey>(PASSKEYS);
  return (
    <section className="section">
      <h2>{t("Passkeys")}</h2>
      <p className="muted">
        {t("Sign in with this device’s fingerprint, face or PIN, or with a security key: no password can be stolen.")}
      </p>
      <Answered rest={passkeys}>
        {(known) => (
          <>
            {known.length > 0 && (
              <ul className="settings-list">
                {known.map((passkey) => (
                  <li key={passkey.id}>
                    <Factor
                      address={`${PASSKEYS}/${passkey.id}`}
                      name={passkey.name}
                      factor={passkey}
                      removal={t("Remove the passkey")}
                      onRemoved={() => passkeys.change((before) => before.filter(({ id }) => id !== passkey.id))}
                    />
                  </li>
                ))}
              </ul>
            )}
            <NewPasskey onMade={(passkey) => passkeys.change((before) => [passkey, ...before])} />
          </>
        )}
      </Answered>
    </section>
  );
}

function NewPasskey({ onMade }: { onMade: (passkey: Passkey) => void }) {
  const store = useStore();
  const [isOpen, setOpen] = useState(false);
  const opener = useOpener(isOpen);
  const [name, setName] = useState("");
  const add = async (confirmation: Confirmation) => {
    const credential = await made(await ask(store, "POST", `${PASSKEYS}/options`, confirmation));
    if (credential !== null) {
      onMade(await ask<Passkey>(store, "POST", PASSKEYS, { name: name.trim() || t("Passkey"), credential }));
      setOpen(false);
    }
  };
  if (!canUsePasskeys()) {
    return <p className="small muted">{t("This browser offers no passkeys at this address.")}</p>;
  }
  return isOpen ? (
    <Confirming name={t("Add the passkey")} act={add} onCancel={() => setOpen(false)}>
      <Field name={t("What to call it")}>
        <input
          className="input"
          maxLength={100}
          placeholder={t("Such as Laptop")}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
      </Field>
    </Confirming>
  ) : (
    <button ref={opener} type="button" className="button" onClick={() => setOpen(true)}>
      {t("Add a passkey…")}
    </button>
  );
}
