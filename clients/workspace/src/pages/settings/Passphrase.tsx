/** Asks for the passphrase of a backup that was chosen. */
import { type FormEvent, useState } from "react";
import { t } from "../../i18n/translate";
import { Field } from "../../parts/Field";

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
      <Field name={t("The passphrase of {file}", { file: name })}>
        <input
          className="input"
          type="password"
          autoComplete="off"
          required
          // biome-ignore lint/a11y/noAutofocus: the user has just chosen the file
          autoFocus
          value={passphrase}
          onChange={({ target }) => setPassphrase(target.value)}
        />
      </Field>
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
