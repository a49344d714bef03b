/** A message, and an answer in progress. */
import type { ChatMessage } from "@adiuva/client/database";
import { memo, useState } from "react";
import { Block } from "../blocks/Block";
import { t } from "../i18n/translate";
import { counted } from "../parts/counted";
import { AnswerUndo } from "../undo/AnswerUndo";
import { Disclosed } from "./Disclosed";
import { Markdown } from "./Markdown";
import { type Live, type Outcome, outcomeOf, type Part, type Status, waitingOf } from "./parts";
import { RememberedItems } from "./RememberedItems";

export const Message = memo(
  function Message({ message, onAskAgain }: { message: ChatMessage; onAskAgain?: (() => void) | undefined }) {
    if (message.role === "user") {
      return (
        <li className="message user">
          <span className="unseen">You: </span>
          {message.content}
          {waitingOf(message) && (
            <span className="waiting-mark">
              <span className="pill">{t("Waiting")}</span>
            </span>
          )}
        </li>
      );
    }
    const parts = (message.toolResults as Part[] | null) ?? [{ type: "text", text: message.content } as const];
    const outcome = outcomeOf(message);
    return (
      <li className="message assistant">
        <span className="unseen">Adiuva: </span>
        <Parts parts={parts} />
        {outcome && <After outcome={outcome} onAskAgain={onAskAgain} />}
      </li>
    );
  },
  // It only matters whether the user can ask again, not which function does it.
  (one, other) => one.message === other.message && (one.onAskAgain === undefined) === (other.onAskAgain === undefined),
);

export function LiveMessage({ live }: { live: Live }) {
  return (
    <li className="message assistant" aria-busy="true">
      <span className="unseen">Adiuva: </span>
      <Parts parts={live.parts} />
      {live.status !== null && <p className="status">{sentenceOf(live.status)}</p>}
    </li>
  );
}

function Parts({ parts }: { parts: readonly Part[] }) {
  return (
    <div className="parts">
      {parts.map((part, index) =>
        part.type === "text" ? (
          <Markdown key={index} text={part.text} />
        ) : (
          <Block key={index} blockType={part.blockType} data={part.data} />
        ),
      )}
    </div>
  );
}

function After({ outcome, onAskAgain }: { outcome: Outcome; onAskAgain: (() => void) | undefined }) {
  const [shown, setShown] = useState<"remembered" | "shared" | null>(null);
  const { remembered = [] } = outcome;
  const toggle = (name: typeof shown) => setShown(shown === name ? null : name);
  const buttons = (
    <>
      {outcome.finishReason === "cancelled" && <span className="muted small">Stopped.</span>}
      {outcome.finishReason !== "done" && onAskAgain && (
        <button type="button" className="button" onClick={onAskAgain}>
          Ask again
        </button>
      )}
      {remembered.length > 0 && (
        <button
          type="button"
          className="button quiet"
          aria-expanded={shown === "remembered"}
          onClick={() => toggle("remembered")}
        >
          Remembered {counted(remembered.length, "thing")}
        </button>
      )}
      <button
        type="button"
        className="button quiet"
        aria-expanded={shown === "shared"}
        onClick={() => toggle("shared")}
      >
        What was shared
      </button>
    </>
  );
  return (
    <>
      {outcome.error && (
        <p className="alert" role="alert">
          {outcome.error.message}
        </p>
      )}
      {outcome.mutations.length > 0 ? (
        <AnswerUndo requestId={outcome.requestId}>{buttons}</AnswerUndo>
      ) : (
        <div className="after">{buttons}</div>
      )}
      {shown === "remembered" && <RememberedItems items={remembered} />}
      {shown === "shared" && <Disclosed requestId={outcome.requestId} />}
    </>
  );
}

function sentenceOf({ state, label }: Status): string {
  const fallback = {
    thinking: "Thinking…",
    calling_tool: "Looking it up…",
    waiting_approval: "Waiting for your answer…",
    queued: "Waiting for the previous answer…",
  }[state];
  return label ?? fallback;
}
