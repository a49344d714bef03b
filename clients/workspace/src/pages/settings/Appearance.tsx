/** Light or dark, whether anything moves, and the language. */
import { useState } from "react";
import { chooseLanguage, chosenLanguage, LANGUAGES, languageShown } from "../../i18n/language";
import { msg, t } from "../../i18n/translate";
import { chooseMotion, chooseTheme, chosenMotion, chosenTheme, type Motion, type Theme } from "../../parts/appearance";
import { Field } from "../../parts/Field";
import { FULL } from "../../parts/kept";
import { Problem } from "../../parts/Problem";
import { Segments } from "../../parts/Segments";
import { useStore, useTask } from "../../rpc/RpcProvider";

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
        <Choice label={t("Theme")} options={THEMES} kept={chosenTheme} keep={chooseTheme} />
      </section>
      <section className="section">
        <h2>{t("Motion")}</h2>
        <Choice label={t("Motion")} options={MOTIONS} kept={chosenMotion} keep={chooseMotion} />
      </section>
      <Language />
    </>
  );
}

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly options: readonly (readonly [Value, string])[];
  readonly kept: () => Value;
  /** False if there is no room for it. */
  readonly keep: (value: Value) => boolean;
}

function Choice<Value extends string>({ label, options, kept, keep }: ChoiceProps<Value>) {
  const [chosen, setChosen] = useState(kept);
  const [isKept, setKept] = useState(true);
  const choose = (value: Value) => {
    setKept(keep(value));
    setChosen(kept());
  };
  return (
    <>
      <Segments label={label} options={options} chosen={chosen} onChoose={choose} />
      <Problem error={isKept ? "" : t(FULL)} />
    </>
  );
}

function Language() {
  const store = useStore();
  const { run, error } = useTask();
  const choose = async (language: string | null) => {
    if (!(await chooseLanguage(language))) {
      throw new Error(t(FULL));
    }
    await store.speak(language);
  };
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
          onChange={({ target }) => void run(() => choose(target.value === "" ? null : target.value))}
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
