/** What was changed on a day, by whom, and undoing it. */

import type { Entry } from "@adiuva/client/database";
import { useState } from "react";
import { t } from "../i18n/translate";
import { dayField, dayShown, daysFrom, timeShown } from "../parts/dates";
import { Field } from "../parts/Field";
import { PageFrame } from "../parts/PageFrame";
import { Problem } from "../parts/Problem";
import { Conflicts } from "../undo/Conflicts";
import { useHistory } from "../undo/useHistory";
import { useUndo } from "../undo/useUndo";
import { actorShown, isProgram, sentenceOf, stateOf } from "../undo/words";

/** How long the journal is kept. */
const KEPT_DAYS = 30;
/** How many changes are drawn at first, and with each press of the button more. */
const DRAWN = 50;

export function HistoryPage() {
  const [days] = useState(() => Array.from({ length: KEPT_DAYS + 1 }, (_, ago) => daysFrom(Date.now(), -ago)));
  const [day, setDay] = useState(() => dayField(Date.now()));
  const [most, setMost] = useState(DRAWN);
  const entries = useHistory({ day });
  const { conflicts, isBusy, error, undo, undoRest, close } = useUndo();
  const shown = (entries ?? []).filter(({ changes, undoes }) => changes.length > 0 || undoes.length > 0);
  const byOthers = shown.filter(({ by }) => by !== "user");
  const choose = (chosen: string) => {
    setDay(chosen);
    setMost(DRAWN);
  };
  return (
    <PageFrame title={t("History")}>
      <div className="row history-day">
        <Field name={t("Day")}>
          <select className="input" value={day} onChange={({ target }) => choose(target.value)}>
            {days.map((moment) => (
              <option key={moment} value={dayField(moment)}>
                {dayShown(moment)}
              </option>
            ))}
          </select>
        </Field>
        {stateOf(byOthers) === "done" && (
          <button type="button" className="button" disabled={isBusy} onClick={() => undo({ day })}>
            {t("Undo all but your own changes")}
          </button>
        )}
        {programsOf(byOthers).map((by) => (
          <button key={by} type="button" className="button" disabled={isBusy} onClick={() => undo({ by, day })}>
            {t("Undo all by {name}", { name: by })}
          </button>
        ))}
      </div>
      {conflicts && <Conflicts conflicts={conflicts} of={byOthers} isBusy={isBusy} onRest={undoRest} onClose={close} />}
      <Problem error={error} />
      {entries !== null && shown.length === 0 && <p className="muted">{t("Nothing was changed on this day.")}</p>}
      {shown.length > 0 && (
        <ol className="history">
          {shown.slice(0, most).map((entry) => (
            <HistoryEntry key={entry.id} entry={entry} />
          ))}
        </ol>
      )}
      {shown.length > most && (
        <p className="more">
          <button type="button" className="button quiet" onClick={() => setMost(most + DRAWN)}>
            {t("Show earlier ones")}
          </button>
        </p>
      )}
    </PageFrame>
  );
}

/** The programs with changes among `entries` that are not undone. */
function programsOf(entries: readonly Entry[]): string[] {
  const changing = entries.filter(
    ({ by, changes, undoneBy }) => isProgram(by) && changes.length > 0 && undoneBy === null,
  );
  return [...new Set(changing.map(({ by }) => by))].sort();
}

function HistoryEntry({ entry }: { entry: Entry }) {
  const { conflicts, isBusy, error, undo, undoRest, redo, close } = useUndo();
  const sentence = sentenceOf(entry);
  const { undoneBy, undoes, at, by } = entry;
  const isUndo = undoes.length > 0;
  return (
    <li className="history-entry">
      <time className="small muted" dateTime={new Date(at).toISOString()}>
        {timeShown(at)}
      </time>
      <div className="entry">
        <p className={undoneBy === null ? undefined : "was-undone"}>{sentence}</p>
        <p className="small muted">
          {isUndo ? t("{who}, by undoing", { who: actorShown(by) }) : actorShown(by)}
          {undoneBy !== null && ` · ${isUndo ? t("done again") : t("undone")}`}
        </p>
        {conflicts && (
          <Conflicts conflicts={conflicts} of={[entry]} isBusy={isBusy} onRest={undoRest} onClose={close} />
        )}
        <Problem error={error} />
      </div>
      <button
        type="button"
        className="button small"
        aria-label={undoneBy === null ? t("Undo: {what}", { what: sentence }) : t("Redo: {what}", { what: sentence })}
        disabled={isBusy}
        onClick={() => (undoneBy === null ? undo({ call: entry.id }) : redo([undoneBy]))}
      >
        {undoneBy === null ? t("Undo") : t("Redo")}
      </button>
    </li>
  );
}
