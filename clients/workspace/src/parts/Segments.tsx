/** A choice among a few, all in sight: radio buttons side by side. `label` names it where nothing around it does. */
import { useId } from "react";
import { t } from "../i18n/translate";

interface SegmentsProps<Value extends string> {
  readonly label?: string;
  readonly options: readonly (readonly [value: Value, name: string])[];
  readonly chosen: Value;
  readonly onChoose: (value: Value) => void;
}

export function Segments<Value extends string>({ label, options, chosen, onChoose }: SegmentsProps<Value>) {
  const group = useId();
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: it has a label only where it has the role
    <div className="segments" role={label && "radiogroup"} aria-label={label}>
      {options.map(([value, name]) => (
        <label key={value}>
          <input type="radio" name={group} value={value} checked={chosen === value} onChange={() => onChoose(value)} />
          <span>{t(name)}</span>
        </label>
      ))}
    </div>
  );
}
