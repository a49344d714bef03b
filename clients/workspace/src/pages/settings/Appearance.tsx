/** Light or dark. */
import { useState } from "react";
import { chooseTheme, chosenTheme, type Theme } from "../../parts/theme";

const THEMES: readonly (readonly [Theme, string])[] = [
  ["system", "As the system"],
  ["light", "Light"],
  ["dark", "Dark"],
];

export function Appearance() {
  const [theme, setTheme] = useState(chosenTheme);
  const choose = (chosen: Theme) => {
    chooseTheme(chosen);
    setTheme(chosen);
  };
  return (
    <section className="section">
      <h2>Appearance</h2>
      <div className="segments" role="radiogroup" aria-label="Theme">
        {THEMES.map(([value, name]) => (
          <label key={value}>
            <input type="radio" name="theme" value={value} checked={theme === value} onChange={() => choose(value)} />
            <span>{name}</span>
          </label>
        ))}
      </div>
    </section>
  );
}
