/** A day and, where it matters, a time of that day. */
import { t } from "../i18n/translate";
import { dayField, momentOf, timeField } from "./dates";
import { Field } from "./Field";

export interface EditedMoment {
  readonly day: string;
  readonly time: string;
  /** Null if there is no day. */
  readonly moment: number | null;
  setDay(day: string): void;
  setTime(time: string): void;
}

/** A stored moment as a form's draft has it; `set` changes the draft. */
export function editedMoment(
  stored: number | null,
  { day, time }: { readonly day: string; readonly time: string },
  set: (part: { day?: string; time?: string }) => void,
): EditedMoment {
  // The fields have no seconds.
  const isAsItWas = day === dayField(stored) && time === timeField(stored);
  return {
    day,
    time,
    moment: isAsItWas ? stored : momentOf(day, time),
    setDay: (changed) => set({ day: changed }),
    setTime: (changed) => set({ time: changed }),
  };
}

export function MomentFields({
  name,
  edited: { day, time, setDay, setTime },
  isRequired = false,
}: {
  name: string;
  edited: EditedMoment;
  isRequired?: boolean;
}) {
  return (
    <>
      <Field name={name}>
        <input
          className="input"
          type="date"
          required={isRequired}
          value={day}
          onChange={(event) => setDay(event.target.value)}
        />
      </Field>
      <Field name={t("Time (optional)")}>
        <input
          className="input"
          type="time"
          disabled={day === ""}
          value={time}
          onChange={(event) => setTime(event.target.value)}
        />
      </Field>
    </>
  );
}
