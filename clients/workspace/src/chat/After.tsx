/** What is below an answer: how it ended, and what can be done with it. */

import type { ChatMessage } from "@adiuva/client/database";
import { useState } from "react";
import { t } from "../i18n/translate";
import { CopyButton } from "../parts/CopyButton";
import { Icon } from "../parts/Icon";
import { useSnapshot, useStore } from "../rpc/RpcProvider";
import { AnswerUndo } from "../undo/AnswerUndo";
import { Disclosed } from "./Disclosed";
import { markdownOf, partsOf } from "./markdown_of";
import type { Outcome } from "./parts";
import { RememberedItems } from "./RememberedItems";

interface AfterProps {
  readonly message: ChatMessage;
  readonly outcome: Outcome;
  readonly isPinned: boolean;
  readonly onAskAgain: ((model?: string) => void) | undefined;
}

export function After({ message, outcome, isPinned, onAskAgain }: AfterProps) {
  const [shown, setShown] = useState<"remembered" | "shared" | null>(null);
  const { remembered = [] } = outcome;
  const toggle = (name: typeof shown) => setShown(shown === name ? null : name);
  const buttons = (
    <>
      {outcome.finishReason === "cancelled" && <span className="muted small">{t("Stopped.")}</span>}
      {onAskAgain && <AskAgain isWanted={outcome.finishReason !== "done"} onAskAgain={onAskAgain} />}
      <CopyButton name={t("Copy the answer")} text={() => markdownOf(partsOf(message))} />
      <Pin id={message.id} isPinned={isPinned} />
      {remembered.length > 0 && (
        <button
          type="button"
          className="button quiet"
          aria-expanded={shown === "remembered"}
          onClick={() => toggle("remembered")}
        >
          {t("{count, plural, one {Remembered # thing} other {Remembered # things}}", { count: remembered.length })}
        </button>
      )}
      <button
        type="button"
        className="button quiet"
        aria-expanded={shown === "shared"}
        onClick={() => toggle("shared")}
      >
        {t("What was shared")}
      </button>
    </>
  );
  return (
    <>
      {outcome.error && (
        <p className="alert" role="alert">
          {t(outcome.error.message)}
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

/** With the same model, or with another one if the server offers several. */
function AskAgain({ isWanted, onAskAgain }: { isWanted: boolean; onAskAgain: (model?: string) => void }) {
  const { models } = useSnapshot();
  return (
    <>
      <button type="button" className={isWanted ? "button" : "button quiet"} onClick={() => onAskAgain()}>
        {t("Ask again")}
      </button>
      {models.length > 1 && (
        <select
          className="input another"
          aria-label={t("Ask again with another model")}
          value=""
          onChange={(event) => onAskAgain(event.target.value)}
        >
          <option value="" disabled>
            {t("With another model")}
          </option>
          {models.map(({ name, display_name }) => (
            <option key={name} value={name}>
              {display_name}
            </option>
          ))}
        </select>
      )}
    </>
  );
}

function Pin({ id, isPinned }: { id: string; isPinned: boolean }) {
  const store = useStore();
  return (
    <button
      type="button"
      className="button quiet pin"
      aria-pressed={isPinned}
      title={t("Shows the answer on Home, as its rows are then")}
      onClick={() => void store.pin(id, !isPinned)}
    >
      <Icon name="pin" />
      {isPinned ? t("Pinned") : t("Pin")}
    </button>
  );
}
