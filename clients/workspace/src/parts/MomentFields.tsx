/** A day and, where it matters, a time of that day. */
import { useState } from "react";
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

export function useEditedMoment(moment: number | null): EditedMoment {
  const [day, setDay] = useState(dayField(moment));
  const [time, setTime] = useState(timeField(moment));
  // The fields have no seconds.
  const isAsItWas = day === dayField(moment) && time === timeField(moment);
  return { day, time, moment: isAsItWas ? moment : momentOf(day, time), setDay, setTime };
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
      <Field name="Time (optional)">
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
