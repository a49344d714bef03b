/** A date as it is said ("tomorrow 5pm"), from a calendar, or one of the usual ones. */
import { type FormEvent, useState } from "react";
import { DayPicker } from "react-day-picker";
import { it } from "react-day-picker/locale/it";
import "react-day-picker/style.css";
import { dateFormat } from "../i18n/formats";
import { useLanguage } from "../i18n/language";
import { msg, t } from "../i18n/translate";
import { saidDate } from "../palette/said_dates";
import { daysFrom, dueShown, startOfDay } from "../parts/dates";

const USUAL: readonly (readonly [name: string, days: number])[] = [
  [msg("Today"), 0],
  [msg("Tomorrow"), 1],
  [msg("In a week"), 7],
];

export function DatePicker({ value, onChoose }: { value: number | null; onChoose: (moment: number | null) => void }) {
  const language = useLanguage() === "it" ? "it" : "en";
  const [text, setText] = useState("");
  const now = Date.now();
  const said = text.trim() === "" ? null : saidDate(text, now, language);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation();
    if (said !== null) {
      onChoose(said.moment);
    }
  };
  return (
    <div className="date-picker">
      <form onSubmit={submit}>
        <input
          data-focus
          className="input"
          aria-label={t("Date in words")}
          placeholder={t("tomorrow 5pm")}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <p className="small muted" role="status">
          {said !== null ? dueShown(said.moment) : text.trim() !== "" ? t("No date was understood.") : ""}
        </p>
      </form>
      <div className="row">
        {USUAL.map(([name, days]) => (
          <button key={name} type="button" className="button small" onClick={() => onChoose(daysFrom(now, days))}>
            {t(name)}
          </button>
        ))}
        {value !== null && (
          <button type="button" className="button small quiet" onClick={() => onChoose(null)}>
            {t("No date")}
          </button>
        )}
      </div>
      <DayPicker
        mode="single"
        weekStartsOn={1}
        labels={{ labelDayButton: dayNamed }}
        {...(language === "it" ? { locale: it } : {})}
        {...(value === null ? {} : { selected: new Date(value), defaultMonth: new Date(value) })}
        onSelect={(day) => onChoose(day === undefined ? null : withTimeOf(day, value))}
      />
    </div>
  );
}

/** With the number as it is shown, so that it can be said to a program that listens. */
function dayNamed(day: Date): string {
  return dateFormat({ weekday: "long", day: "numeric", month: "long", year: "numeric" }).format(day);
}

/** Another day does not change the time, not even one with 23 or 25 hours. */
function withTimeOf(day: Date, before: number | null): number {
  if (before === null) {
    return startOfDay(day.getTime());
  }
  const time = new Date(before);
  return new Date(day).setHours(time.getHours(), time.getMinutes(), time.getSeconds(), time.getMilliseconds());
}
