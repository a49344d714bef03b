/** Light or dark, whether anything moves, and the language. */
import { useId, useState } from "react";
import { chooseLanguage, chosenLanguage, LANGUAGES, languageShown } from "../../i18n/language";
import { msg, t } from "../../i18n/translate";
import { chooseMotion, chooseTheme, chosenMotion, chosenTheme, type Motion, type Theme } from "../../parts/appearance";
import { Field } from "../../parts/Field";
import { Problem } from "../../parts/Problem";
import { useTask } from "../../rpc/RpcProvider";

const THEMES: readonly (readonly [Theme, string])[] = [
  ["system", msg("As the system")],
  ["light", msg("Light")],
  ["dark", msg("Dark")],
];

const MOTIONS: readonly (readonly [Motion, string])[] = [
  ["system", msg("As the system")],
  ["none", msg("Nothing moves")],
];

export function Appearance() {
  return (
    <>
      <section className="section">
        <h2>{t("Theme")}</h2>
        <Choice name={t("Theme")} of={THEMES} chosen={chosenTheme} choose={chooseTheme} />
      </section>
      <section className="section">
        <h2>{t("Motion")}</h2>
        <Choice name={t("Motion")} of={MOTIONS} chosen={chosenMotion} choose={chooseMotion} />
      </section>
      <Language />
    </>
  );
}

interface ChoiceProps<Value extends string> {
  readonly name: string;
  readonly of: readonly (readonly [Value, string])[];
  readonly chosen: () => Value;
  readonly choose: (value: Value) => void;
}

function Choice<Value extends string>({ name, of, chosen, choose }: ChoiceProps<Value>) {
  const [now, setNow] = useState(chosen);
  const group = useId();
  return (
    <div className="segments" role="radiogroup" aria-label={name}>
      {of.map(([value, label]) => (
        <label key={value}>
          <input
            type="radio"
            name={group}
            value={value}
            checked={now === value}
            onChange={() => {
              choose(value);
              setNow(value);
            }}
          />
          <span>{t(label)}</span>
        </label>
      ))}
    </div>
  );
}

function Language() {
  const { run, error } = useTask();
  return (
    <section className="section">
      <h2>{t("Language")}</h2>
      <p className="muted">
        {t("Of the pages, dates and numbers. The assistant answers in the language you write in.")}
      </p>
      <Field name={t("Language of the pages")}>
        <select
          className="input"
          value={chosenLanguage() ?? ""}
          onChange={({ target }) => void run(() => chooseLanguage(target.value === "" ? null : target.value))}
        >
          <option value="">{t("As the browser")}</option>
          {LANGUAGES.map((language) => (
            <option key={language} value={language} lang={language}>
              {languageShown(language)}
            </option>
          ))}
        </select>
      </Field>
      <Problem error={error} />
    </section>
  );
}
