/** An editable heading: saved on Enter, on blur and on leaving the page; restored on Escape. */
import { useEffect, useRef, useState } from "react";

export function HeadingInput({
  label,
  value,
  onSave,
}: {
  label: string;
  value: string;
  onSave: (value: string) => void;
}) {
  /** Null unless it differs from `value`, or is not saved yet. */
  const [edited, setEdited] = useState<string | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const saved = useRef<string | null>(null);
  const latest = useRef({ edited, value, onSave });
  latest.current = { edited, value, onSave };
  // biome-ignore lint/correctness/useExhaustiveDependencies: another value takes the place of what was saved
  useEffect(() => {
    // What is being written stays, as when the text of a new note has just given it a title.
    if (document.activeElement !== input.current) {
      setEdited(null);
    }
  }, [value]);
  useEffect(() => {
    const leave = () => {
      // An input that is removed is not left by a blur.
      if (latest.current.edited !== saved.current) {
        saved.current = latest.current.edited;
        save(latest.current);
      }
    };
    addEventListener("pagehide", leave);
    return () => {
      removeEventListener("pagehide", leave);
      leave();
    };
  }, []);
  return (
    <h1 aria-label={value}>
      <input
        ref={input}
        className="heading-input"
        aria-label={label}
        value={edited ?? value}
        onChange={(event) => setEdited(event.target.value)}
        onBlur={() => {
          saved.current = edited;
          if (edited !== null && !save({ edited, value, onSave })) {
            setEdited(null);
          }
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter") {
            event.currentTarget.blur();
          } else if (event.key === "Escape") {
            setEdited(null);
          }
        }}
      />
    </h1>
  );
}

interface Edited {
  readonly edited: string | null;
  readonly value: string;
  readonly onSave: (value: string) => void;
}

/** Whether there was something to save. */
function save({ edited, value, onSave }: Edited): boolean {
  const given = edited?.trim() ?? "";
  if (given === "" || given === value) {
    return false;
  }
  onSave(given);
  return true;
}
