import { Field } from "./Field";

/** A secret that the user writes; `shortest` is the least number of characters of a new one. */
export function PasswordField({
  name,
  value,
  onChange,
  autoComplete,
  shortest,
  takesFocus = false,
}: {
  name: string;
  value: string;
  onChange: (value: string) => void;
  autoComplete: "current-password" | "new-password" | "off";
  shortest?: number | undefined;
  takesFocus?: boolean;
}) {
  return (
    <Field name={name}>
      <input
        className="input"
        type="password"
        autoComplete={autoComplete}
        required
        minLength={shortest}
        // biome-ignore lint/a11y/noAutofocus: where the user has just asked for the form
        autoFocus={takesFocus}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    </Field>
  );
}
