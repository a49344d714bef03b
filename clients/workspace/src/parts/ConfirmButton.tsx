/** A button for what cannot be undone: it asks for confirmation in place. */

import { useEffect, useRef, useState } from "react";
import { t } from "../i18n/translate";
import { useTask } from "../rpc/RpcProvider";
import { Problem } from "./Problem";
import { isFocusLostOrIn } from "./useFocusInside";

export function ConfirmButton({
  name,
  label,
  describedBy,
  isSmall = false,
  isDangerous = false,
  question,
  yes,
  no = t("Keep it"),
  act,
  onDone,
}: {
  name: string;
  /** For screen readers, if `name` alone is not clear. */
  label?: string;
  /** Likewise: the id of a description. */
  describedBy?: string;
  isSmall?: boolean;
  /** Shows the button as dangerous before it asks. */
  isDangerous?: boolean;
  question: string;
  yes: string;
  no?: string;
  /** If it throws, the error is shown. */
  act: () => Promise<unknown>;
  /**
   * Without it the focus moves to the surrounding section or dialog, because the focused element may be gone.
   * `isFocusHere`: the user has not moved it elsewhere meanwhile, so it may be moved.
   */
  onDone?: (isFocusHere: boolean) => void;
}) {
  const [isAsking, setAsking] = useState(false);
  const { run, isBusy, error } = useTask();
  const opener = useRef<HTMLButtonElement>(null);
  const group = useRef<HTMLDivElement>(null);
  const refusal = useRef<HTMLButtonElement>(null);
  const wasAsking = useRef(false);
  const isFocusHere = useRef(true);
  const refuse = () => {
    // It is being done: too late to keep it.
    if (!isBusy) {
      isFocusHere.current = true;
      setAsking(false);
    }
  };
  const confirm = async () => {
    const around = refusal.current?.closest<HTMLElement>("section, dialog");
    if (!(await run(act))) {
      return;
    }
    isFocusHere.current = isFocusLostOrIn(group.current);
    setAsking(false);
    if (onDone !== undefined) {
      onDone(isFocusHere.current);
    } else if (isFocusHere.current) {
      around?.setAttribute("tabindex", "-1");
      around?.focus();
    }
  };
  useEffect(() => {
    if (isAsking) {
      refusal.current?.focus();
    } else if (wasAsking.current && isFocusHere.current) {
      opener.current?.focus();
    }
    wasAsking.current = isAsking;
  }, [isAsking]);
  const size = isSmall ? " small" : "";
  if (!isAsking) {
    return (
      <button
        ref={opener}
        type="button"
        className={`button${isDangerous ? " danger" : ""}${size}`}
        aria-label={label}
        aria-describedby={describedBy}
        onClick={() => setAsking(true)}
      >
        {name}
      </button>
    );
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields
    <div
      ref={group}
      className="sure"
      role="group"
      aria-label={question}
      // Takes the focus after a click beside the buttons, so that Escape still cancels this question.
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key === "Escape") {
          // The surrounding dialog stays open.
          event.preventDefault();
          event.stopPropagation();
          refuse();
        }
      }}
    >
      <span className="small">{question}</span>
      <span className="row">
        <button type="button" className={`button danger${size}`} disabled={isBusy} onClick={() => void confirm()}>
          {yes}
        </button>
        <button ref={refusal} type="button" className={`button${size}`} disabled={isBusy} onClick={refuse}>
          {no}
        </button>
      </span>
      <Problem error={error} />
    </div>
  );
}
