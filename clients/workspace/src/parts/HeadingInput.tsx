/** An editable heading: saved on Enter and on blur, restored on Escape. */
import { useEffect, useState } from "react";

export function HeadingInput({
  label,
  value,
  onSave,
}: {
  label: string;
  value: string;
  onSave: (value: string) => void;
}) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const save = () => {
    if (text.trim() === "") {
      setText(value);
    } else if (text.trim() !== value) {
      onSave(text.trim());
    }
  };
  return (
    <h1 aria-label={value}>
      <input
        className="heading-input"
        aria-label={label}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onBlur={save}
        onKeyDown={(event) => {
          if (event.key === "Enter") {
            event.currentTarget.blur();
          } else if (event.key === "Escape") {
            setText(value);
          }
        }}
      />
    </h1>
  );
}
