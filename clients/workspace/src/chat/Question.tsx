/** The server's question before it changes something: shows the change, and takes yes or no. */

import type { ApprovalRequest, Verdict } from "@adiuva/client";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { t } from "../i18n/translate";
import { Problem } from "../parts/Problem";
import { type Row, TwoRows } from "../parts/TwoRows";
import { canBeRemembered, deletes } from "./questions";

/** The longest reason that the server accepts. */
const REASON_CHARACTERS = 2000;

interface QuestionProps {
  request: ApprovalRequest;
  /** Whether the answer that asks has ended, as after a restart of the server, but the question is still open. */
  hasBrokenOff: boolean;
  isBusy: boolean;
  /** Why the last verdict could not be sent. */
  error: string;
  onAnswer: (verdict: Verdict) => void;
}

export function Question({ request, hasBrokenOff, isBusy, error, onAnswer }: QuestionProps) {
  const [isExplaining, setExplaining] = useState(false);
  return (
    <section className={`question ${request.risk}`} aria-label={t("May this be done?")}>
      {hasBrokenOff && <BrokenOff />}
      <p>{request.summary}</p>
      {request.source && <SourceText source={request.source} />}
      {request.preview && <BeforeAfter before={request.preview.before} after={request.preview.after} />}
      <div className="row">
        <button
          type="button"
          className={request.risk === "destructive" ? "button danger" : "button primary"}
          disabled={isBusy}
          onClick={() => onAnswer({ approved: true })}
        >
          {deletes(request) ? t("Yes, delete") : t("Yes, do it")}
        </button>
        <button type="button" className="button" disabled={isBusy} onClick={() => onAnswer({ approved: false })}>
          {t("No")}
        </button>
        {canBeRemembered(request) && (
          <button
            type="button"
            className="button quiet"
            disabled={isBusy}
            onClick={() => onAnswer({ approved: true, remember: true })}
          >
            {t("Yes, and do not ask again")}
          </button>
        )}
        {!hasBrokenOff && !isExplaining && (
          <button type="button" className="button quiet" disabled={isBusy} onClick={() => setExplaining(true)}>
            {t("No, because…")}
          </button>
        )}
      </div>
      {isExplaining && <Reason isBusy={isBusy} onGiven={(reason) => onAnswer({ approved: false, reason })} />}
      <Problem error={error} />
    </section>
  );
}

export function BrokenOff() {
  return (
    <p className="small" role="status">
      {t(
        "The answer broke off, but you can still decide. If you say yes, this is done in the background. If you say no, nothing changes.",
      )}
    </p>
  );
}

/** The text that may have led to the question, when not the user's own words did. */
export function SourceText({ source }: { source: NonNullable<ApprovalRequest["source"]> }) {
  return (
    <figure className="source">
      <figcaption>{source.name}</figcaption>
      <blockquote>{source.text}</blockquote>
    </figure>
  );
}

/** Why not: the assistant reads it and may propose something better. */
function Reason({ isBusy, onGiven }: { isBusy: boolean; onGiven: (reason: string) => void }) {
  const [reason, setReason] = useState("");
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const give = (event: FormEvent) => {
    event.preventDefault();
    onGiven(reason.trim());
  };
  return (
    <form className="row" onSubmit={give}>
      <input
        ref={input}
        className="input reason"
        aria-label={t("Why not")}
        placeholder={t("What should be different?")}
        maxLength={REASON_CHARACTERS}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
      <button type="submit" className="button" disabled={isBusy || reason.trim() === ""}>
        {t("Say no")}
      </button>
    </form>
  );
}

export function BeforeAfter({ before, after }: { before: Row; after: Row }) {
  return (
    <TwoRows
      names={[t("Before"), t("After")]}
      nothing={[t("There is none yet."), t("Deleted.")]}
      one={before}
      other={after}
    />
  );
}
