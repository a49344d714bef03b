/** Undoes all that an answer changed, and does it again. */

import type { ReactNode } from "react";
import { t } from "../i18n/translate";
import { Problem } from "../parts/Problem";
import { Conflicts } from "./Conflicts";
import { useHistory } from "./useHistory";
import { useUndo } from "./useUndo";
import { stateOf, undosOf } from "./words";

/** `children` are the answer's other buttons. */
export function AnswerUndo({ requestId, children }: { requestId: string; children: ReactNode }) {
  const entries = useHistory({ request: requestId });
  const { conflicts, isBusy, error, undo, undoRest, redo, close } = useUndo();
  const state = stateOf(entries ?? []);
  if (entries === null || state === "none") {
    return <div className="after">{children}</div>;
  }
  return (
    <>
      <div className="after">
        {state === "undone" && (
          <span className="muted small" role="status">
            {t("Undone.")}
          </span>
        )}
        <button
          type="button"
          className="button"
          disabled={isBusy}
          onClick={() => (state === "undone" ? redo(undosOf(entries)) : undo({ request: requestId }))}
        >
          {state === "undone" ? t("Redo") : t("Undo")}
        </button>
        {children}
      </div>
      {conflicts && <Conflicts conflicts={conflicts} of={entries} isBusy={isBusy} onRest={undoRest} onClose={close} />}
      <Problem error={error} />
    </>
  );
}
