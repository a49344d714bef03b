/** A card with the server's questions: one, or several that are asked at the same time and answered together or not. */

import type { ApprovalRequest, Verdict } from "@adiuva/client";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { t } from "../i18n/translate";
import { Problem } from "../parts/Problem";
import { focusPage, isFocusLost, useFocusInside } from "../parts/useFocusInside";
import { useStore, useTask } from "../rpc/RpcProvider";
import { BeforeAfter, BrokenOff, Question, SourceText } from "./Question";
import { type Card, deletes } from "./questions";

const YES: Verdict = { approved: true };
const NO: Verdict = { approved: false };

/**
 * Within it, y and n answer what has the focus, and the arrows move it from line to line. While an answer is on its way
 * answers to the other questions are taken.
 */
export function QuestionCard({ card, hasBrokenOff }: { card: Card; hasBrokenOff: boolean }) {
  const store = useStore();
  const { run, error } = useTask();
  const [answering, setAnswering] = useState<readonly string[]>([]);
  const shell = useRef<HTMLDivElement>(null);
  const { requests } = card;
  const open = requests.filter(({ id }) => !answering.includes(id));
  const inside = useFocusInside(shell);
  const ids = requests.map(({ id }) => id).join(" ");
  const shown = useRef<readonly string[]>([]);
  const answered = useRef(new Set<string>());
  // Where several are answered one by one, the next key answers the next line, and never all that are left. An answer
  // that failed leaves its line where it is.
  // biome-ignore lint/correctness/useExhaustiveDependencies: an error says that buttons work again
  useEffect(() => {
    const before = shown.current;
    shown.current = ids.split(" ");
    const wasAnswered = before.some((id) => !shown.current.includes(id) && answered.current.has(id));
    if (isField(inside.current) && !wasAnswered && isFocusLost()) {
      // Letters that are still being typed would answer the question that has replaced this one.
      focusPage();
    } else if (inside.current !== null && isFocusLost()) {
      const lines = linesIn(shell.current);
      const last = inside.current.closest<HTMLElement>("[data-question]")?.dataset.question;
      const at = Math.max(0, before.indexOf(last ?? ""));
      const near = [...before.slice(at), ...before.slice(0, at).reverse(), ...shown.current];
      const next = near.find((id) => shown.current.includes(id));
      (lines.find((line) => line.dataset.question === next) ?? shell.current)?.focus();
    }
  }, [inside, ids, error]);
  useEffect(
    () => () => {
      if (inside.current !== null && isFocusLost()) {
        focusPage();
      }
    },
    [inside],
  );
  useEffect(() => {
    // Never taken from where the user writes.
    if (isFocusLost()) {
      shell.current?.focus();
    }
  }, []);
  const answer = (those: readonly ApprovalRequest[], verdict: Verdict) => {
    const given = those.filter((request) => open.includes(request)).map(({ id }) => id);
    if (given.length === 0) {
      return;
    }
    setAnswering((last) => [...last, ...given]);
    for (const id of given) {
      answered.current.add(id);
    }
    const send = (id: string) =>
      store.answer(id, verdict).finally(() => setAnswering((last) => last.filter((other) => other !== id)));
    void run(() => Promise.all(given.map(send)));
  };
  const press = (event: KeyboardEvent<HTMLDivElement>) => {
    if (isField(event.target) || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const lines = linesIn(shell.current);
    const at = lines.findIndex((line) => line.contains(event.target as Node));
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const verdict = { y: YES, n: NO }[event.key.toLowerCase()];
    if (step !== undefined) {
      lines[Math.min(Math.max(at + step, 0), lines.length - 1)]?.focus();
    } else if (verdict !== undefined) {
      const id = lines[at]?.dataset.question;
      // A key that is held down answers once: the focus is on the next line soon.
      if (!event.repeat) {
        answer(id === undefined ? requests : requests.filter((request) => request.id === id), verdict);
      }
    } else {
      return;
    }
    event.preventDefault();
  };
  const [only] = requests;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out as a card
    <div ref={shell} className="question-card" tabIndex={-1} role="group" aria-label={t("Question")} onKeyDown={press}>
      {requests.length === 1 && only ? (
        <Question
          key={only.id}
          request={only}
          hasBrokenOff={hasBrokenOff}
          isBusy={!open.includes(only)}
          error={error}
          onAnswer={(given) => answer(requests, given)}
        />
      ) : (
        <section
          className={`question ${requests.some(({ risk }) => risk === "destructive") ? "destructive" : ""}`}
          aria-label={t("May this be done?")}
        >
          {hasBrokenOff && <BrokenOff />}
          <p>{t("{count} changes at once. Answer all of them, or one by one.", { count: requests.length })}</p>
          <ul className="lines">
            {requests.map((request, index) => (
              <Line
                key={request.id}
                request={request}
                isSourceKnown={request.source?.text === requests[index - 1]?.source?.text}
                isBusy={!open.includes(request)}
                onAnswer={(given) => answer([request], given)}
              />
            ))}
          </ul>
          <div className="row answers">
            <button
              type="button"
              className={requests.some(deletes) ? "button danger" : "button primary"}
              disabled={open.length === 0}
              onClick={() => answer(requests, YES)}
            >
              {t("Yes to all {count}", { count: requests.length })}
            </button>
            <button type="button" className="button" disabled={open.length === 0} onClick={() => answer(requests, NO)}>
              {t("No to all")}
            </button>
          </div>
          <Problem error={error} />
        </section>
      )}
    </div>
  );
}

interface LineProps {
  request: ApprovalRequest;
  /** Whether the line above shows the same text. */
  isSourceKnown: boolean;
  isBusy: boolean;
  onAnswer: (verdict: Verdict) => void;
}

function Line({ request, isSourceKnown, isBusy, onAnswer }: LineProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: y and n answer the line that has the focus
    <li data-question={request.id} tabIndex={0}>
      <div className="row">
        <span className="summary">{request.summary}</span>
        <span className="row">
          <button
            type="button"
            className="button small"
            disabled={isBusy}
            aria-label={t("Yes: {what}", { what: request.summary })}
            onClick={() => onAnswer(YES)}
          >
            {t("Yes")}
          </button>
          <button
            type="button"
            className="button small"
            disabled={isBusy}
            aria-label={t("No: {what}", { what: request.summary })}
            onClick={() => onAnswer(NO)}
          >
            {t("No")}
          </button>
        </span>
      </div>
      {request.source && !isSourceKnown && <SourceText source={request.source} />}
      {request.preview && (
        <details>
          <summary>{t("What would change")}</summary>
          <BeforeAfter before={request.preview.before} after={request.preview.after} />
        </details>
      )}
    </li>
  );
}

function linesIn(card: HTMLElement | null): readonly HTMLElement[] {
  return [...(card?.querySelectorAll<HTMLElement>("[data-question]") ?? [])];
}

function isField(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
}
