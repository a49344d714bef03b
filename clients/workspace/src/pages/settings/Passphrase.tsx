/** Asks for the passphrase of a backup that was chosen. */
import { type FormEvent, useState } from "react";
import { t } from "../../i18n/translate";
import { PasswordField } from "../../parts/PasswordField";

export function Passphrase({
  name,
  isBusy,
  onGiven,
  onCancel,
}: {
  /** The file's. */
  name: string;
  isBusy: boolean;
  onGiven: (passphrase: string) => void;
  onCancel: () => void;
}) {
  const [passphrase, setPassphrase] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onGiven(passphrase);
  };
  return (
    <form className="found-copy stack" onSubmit={submit}>
      <PasswordField
        name={t("The passphrase of {file}", { file: name })}
        autoComplete="off"
        takesFocus
        value={passphrase}
        onChange={setPassphrase}
      />
      <p className="row">
        <button type="submit" className="button primary" disabled={isBusy}>
          {t("Open it")}
        </button>
        <button type="button" className="button" onClick={onCancel}>
          {t("Cancel")}
        </button>
      </p>
    </form>
  );
}
