/** Light or dark, and the language. */
import { useState } from "react";
import { chooseLanguage, chosenLanguage, LANGUAGES, languageShown } from "../../i18n/language";
import { msg, t } from "../../i18n/translate";
import { Field } from "../../parts/Field";
import { Problem } from "../../parts/Problem";
import { chooseTheme, chosenTheme, type Theme } from "../../parts/theme";
import { useTask } from "../../rpc/RpcProvider";

const THEMES: readonly (readonly [Theme, string])[] = [
  ["system", msg("As the system")],
  ["light", msg("Light")],
  ["dark", msg("Dark")],
];

export function Appearance() {
  const [theme, setTheme] = useState(chosenTheme);
  const choose = (chosen: Theme) => {
    chooseTheme(chosen);
    setTheme(chosen);
  };
  return (
    <>
      <section className="section">
        <h2>{t("Appearance")}</h2>
        <div className="segments" role="radiogroup" aria-label={t("Theme")}>
          {THEMES.map(([value, name]) => (
            <label key={value}>
              <input type="radio" name="theme" value={value} checked={theme === value} onChange={() => choose(value)} />
              <span>{t(name)}</span>
            </label>
          ))}
        </div>
      </section>
      <Language />
    </>
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
