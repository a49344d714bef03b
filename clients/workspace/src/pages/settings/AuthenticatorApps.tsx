/** Authenticator apps, whose codes are asked for beside the password, and recovery codes for when there is no app. */
import type { Confirmation } from "@adiuva/client";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { t } from "../../i18n/translate";
import { Copyable } from "../../parts/Copyable";
import { Field } from "../../parts/Field";
import { Problem } from "../../parts/Problem";
import { QrCode } from "../../parts/QrCode";
import { useOpener } from "../../parts/useOpener";
import { useStore, useTask } from "../../rpc/RpcProvider";
import { Answered } from "./Answered";
import { Confirming } from "./Confirming";
import { Factor } from "./Factor";
import { ask } from "./rest";
import { type Rest, useRest, useRestList } from "./useRest";

const APPS = "/api/v1/auth/authenticator-apps";
const CODES = "/api/v1/auth/recovery-codes";

interface App {
  readonly id: string;
  readonly name: string;
  readonly created_at: string;
  readonly last_used_at: string | null;
}

interface BegunApp {
  readonly id: string;
  readonly secret: string;
  /** The rows of the QR code. */
  readonly qr_code: readonly string[];
}

interface NewCodes {
  readonly recovery_codes: readonly string[];
}

interface Left {
  readonly left: number;
}

export function AuthenticatorApps() {
  const apps = useRestList<App>(APPS);
  const left = useRest<Left>(CODES);
  /** New recovery codes, which are shown only now. */
  const [codes, setCodes] = useState<readonly string[]>([]);
  const changed = (shown: readonly string[]) => {
    setCodes(shown);
    apps.again();
    left.again();
  };
  return (
    <section className="section">
      <h2>{t("Authenticator app")}</h2>
      <p className="muted">
        {t(
          "A code of an app on your phone is asked for beside the password, before anything changes how you sign in, or deletes the account.",
        )}
      </p>
      <Answered rest={apps}>
        {(known) => (
          <>
            {known.length > 0 && (
              <ul className="settings-list">
                {known.map((app) => (
                  <li key={app.id}>
                    <Factor
                      address={`${APPS}/${app.id}`}
                      name={app.name || t("Authenticator app")}
                      factor={app}
                      removal={t("Remove the app")}
                      // Without an app there are no codes.
                      onRemoved={() => changed(known.length > 1 ? codes : [])}
                    />
                  </li>
                ))}
              </ul>
            )}
            <NewApp onAdded={changed} />
            {known.length > 0 && <RecoveryCodes left={left} onRenewed={changed} />}
          </>
        )}
      </Answered>
      {codes.length > 0 && <ShownCodes codes={codes} onDone={() => setCodes([])} />}
    </section>
  );
}

/** First who it is, then the code that the new app shows. */
function NewApp({ onAdded }: { onAdded: (codes: readonly string[]) => void }) {
  const store = useStore();
  const [isOpen, setOpen] = useState(false);
  const [begun, setBegun] = useState<BegunApp | null>(null);
  const opener = useOpener(isOpen || begun !== null);
  const begin = async (confirmation: Confirmation) => {
    setBegun(await ask<BegunApp>(store, "POST", APPS, confirmation));
    setOpen(false);
  };
  if (begun !== null) {
    const close = () => setBegun(null);
    return (
      <Scanning
        app={begun}
        onAdded={(codes) => {
          close();
          onAdded(codes);
        }}
        onCancel={close}
      />
    );
  }
  return isOpen ? (
    <Confirming name={t("Continue")} act={begin} onCancel={() => setOpen(false)} />
  ) : (
    <button ref={opener} type="button" className="button" onClick={() => setOpen(true)}>
      {t("Add an app…")}
    </button>
  );
}

function Scanning({
  app: { id, secret, qr_code },
  onAdded,
  onCancel,
}: {
  app: BegunApp;
  onAdded: (codes: readonly string[]) => void;
  onCancel: () => void;
}) {
  const store = useStore();
  const [code, setCode] = useState("");
  const [name, setName] = useState("");
  const { run, isBusy, error } = useTask();
  const confirm = (event: FormEvent) => {
    event.preventDefault();
    void run(async () => {
      const { recovery_codes } = await ask<NewCodes>(store, "POST", `${APPS}/${id}/confirmation`, {
        code,
        name: name.trim(),
      });
      onAdded(recovery_codes);
    });
  };
  return (
    <form className="stack narrow" onSubmit={confirm}>
      <p>{t("Scan this with the app, or type the secret into it. Then write the code that it shows.")}</p>
      <QrCode rows={qr_code} label={t("QR code with the secret")} />
      <Copyable label={t("The secret")} text={secret} />
      <Field name={t("Code that the app shows")}>
        <input
          className="input"
          required
          inputMode="numeric"
          // biome-ignore lint/a11y/noAutofocus: what comes next
          autoFocus
          autoComplete="one-time-code"
          value={code}
          onChange={({ target }) => setCode(target.value.trim())}
        />
      </Field>
      <Field name={t("What to call the app (optional)")}>
        <input
          className="input"
          maxLength={64}
          placeholder={t("Such as Phone")}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
      </Field>
      <Problem error={error} />
      <p className="row">
        <button type="submit" className="button primary" disabled={isBusy}>
          {t("Add the app")}
        </button>
        <button type="button" className="button" onClick={onCancel}>
          {t("Cancel")}
        </button>
      </p>
    </form>
  );
}

function RecoveryCodes({ left, onRenewed }: { left: Rest<Left>; onRenewed: (codes: readonly string[]) => void }) {
  const store = useStore();
  const [isOpen, setOpen] = useState(false);
  const opener = useOpener(isOpen);
  const renew = async (confirmation: Confirmation) => {
    onRenewed((await ask<NewCodes>(store, "POST", CODES, confirmation)).recovery_codes);
    setOpen(false);
  };
  return (
    <>
      <Answered rest={left}>
        {({ left: count }) => (
          <p className="small muted">
            {t("{count, plural, one {# recovery code is left.} other {# recovery codes are left.}}", { count })}
          </p>
        )}
      </Answered>
      {isOpen ? (
        <Confirming name={t("Make new codes")} act={renew} onCancel={() => setOpen(false)} />
      ) : (
        <button ref={opener} type="button" className="button" onClick={() => setOpen(true)}>
          {t("New recovery codes…")}
        </button>
      )}
    </>
  );
}

function ShownCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  const shown = useRef<HTMLElement>(null);
  useEffect(() => shown.current?.focus(), []);
  return (
    <section ref={shown} tabIndex={-1} className="stack narrow" aria-label={t("Recovery codes")}>
      <p role="status">
        {t(
          "Keep these codes where you find them without the phone. Each works once in place of the app. They are shown only now.",
        )}
      </p>
      <Copyable label={t("Recovery codes")} text={codes.join("\n")} />
      <p className="row">
        <button type="button" className="button" onClick={onDone}>
          {t("Done")}
        </button>
      </p>
    </section>
  );
}
