/** How far a change of thousands of rows is. */

import { useEffect, useState } from "react";
import { msg, t } from "../i18n/translate";
import type { Progress } from "../rpc/messages";
import { useRpc } from "../rpc/RpcProvider";
import { useLasting } from "./useLasting";

const PATIENCE_MS = 300;
const WORDS = { changing: msg("Changing…"), deleting: msg("Deleting…"), undoing: msg("Undoing…") };

interface Shown extends Progress {
  readonly work: keyof typeof WORDS;
}

export function WorkProgress() {
  const rpc = useRpc();
  const [shown, setShown] = useState<Shown | null>(null);
  useEffect(
    () =>
      rpc.onEvent((event) => {
        if (event.type === "progress" && isShown(event)) {
          setShown(event.done < event.total ? event : null);
        } else if (event.type === "snapshot") {
          // Perhaps the tab with the store was closed, and this one says nothing of the work of that.
          setShown(null);
        }
      }),
    [rpc],
  );
  const isLong = useLasting(shown !== null, PATIENCE_MS);
  const words = isLong && shown !== null ? t(WORDS[shown.work]) : "";
  return (
    <div className={words === "" ? "unseen" : "undo-notice"}>
      {/* There before it says something: only then it is heard. */}
      <span role="status">{words}</span>
      {words !== "" && shown !== null && <progress value={shown.done} max={shown.total} aria-label={words} />}
    </div>
  );
}

/** An import shows it itself. The store of a tab with an older version reports imports alone, and not their kind. */
function isShown(event: Progress): event is Shown {
  return event.work in WORDS;
}
