/** Something remembered, with buttons to correct and to forget it. */

import { type FormEvent, type ReactNode, useId, useRef, useState } from "react";
import { t } from "../i18n/translate";
import { useTask } from "../rpc/RpcProvider";
import { ConfirmButton } from "./ConfirmButton";
import { Problem } from "./Problem";
import { useIsMounted } from "./useIsMounted";
import { useOpener } from "./useOpener";

export function Correctable({
  about,
  text,
  longest,
  children,
  before,
  onCorrect,
  onForget,
  onForgotten,
}: {
  /** What it is, for screen readers. */
  about: string;
  /** What can be corrected. */
  text: string;
  longest: number;
  /** How it is shown. */
  children: ReactNode;
  /** Another button. */
  before?: ReactNode;
  /** Without it there is nothing to correct, as in what the server cannot read. */
  onCorrect?: (text: string) => Promise<unknown>;
  onForget: () => Promise<unknown>;
  /** `isFocusHere`: the focus may be moved. */
  onForgotten?: (isFocusHere: boolean) => void;
}) {
  const [isEditing, setEditing] = useState(false);
  const opener = useOpener(isEditing);
  if (isEditing && onCorrect !== undefined) {
    return (
      <Correction about={about} text={text} longest={longest} onSave={onCorrect} onEnd={() => setEditing(false)} />
    );
  }
  return (
    <div className="with-action">
      <div className="entry">{children}</div>
      <div className="row">
        {before}
        {onCorrect !== undefined && (
          <button
            ref={opener}
            type="button"
            className="button small"
            aria-label={t("Correct {what}", { what: about })}
            onClick={() => setEditing(true)}
          >
            {t("Correct")}
          </button>
        )}
        <ConfirmButton
          isSmall
          name={t("Forget")}
          label={t("Forget {what}", { what: about })}
          question={t("Forget this for good?")}
          yes={t("Yes, forget it")}
          act={onForget}
          {...(onForgotten && { onDone: onForgotten })}
        />
      </div>
    </div>
  );
}

function Correction({
  about,
  text,
  longest,
  onSave,
  onEnd,
}: {
  about: string;
  text: string;
  longest: number;
  onSave: (text: string) => Promise<unknown>;
  onEnd: () => void;
}) {
  const [given, setGiven] = useState(text);
  const { run, isBusy, error } = useTask();
  const field = useId();
  const latest = useRef(given);
  latest.current = given;
  const isMounted = useIsMounted();
  const save = async (event: FormEvent) => {
    event.preventDefault();
    const isSaved = given.trim() === text || (await run(() => onSave(given.trim())));
    // What was written on meanwhile is not saved yet.
    if (isSaved && isMounted.current && latest.current === given) {
      onEnd();
    }
  };
  return (
    <form
      className="stack"
      onSubmit={(event) => void save(event)}
      onKeyDown={(event) => {
        if (event.key === "Escape") {
          event.stopPropagation();
          onEnd();
        }
      }}
    >
      <label className="unseen" htmlFor={field}>
        {about}
      </label>
      <textarea
        id={field}
        className="input"
        required
        maxLength={longest}
        // biome-ignore lint/a11y/noAutofocus: the user has just asked for it
        autoFocus
        value={given}
        onChange={(event) => setGiven(event.target.value)}
      />
      <Problem error={error && t("Not saved: {why}", { why: error })} />
      <p className="row">
        <button type="submit" className="button primary small" disabled={isBusy}>
          {t("Save")}
        </button>
        <button type="button" className="button small" onClick={onEnd}>
          {t("Cancel")}
        </button>
      </p>
    </form>
  );
}
