/** Answers that the user has pinned: their rows are as they are now. */
import type { ChatMessage } from "@adiuva/client/database";
import { t } from "../i18n/translate";
import { Boundary } from "../parts/Boundary";
import { dayShown } from "../parts/dates";
import { useStore } from "../rpc/RpcProvider";
import { Parts } from "./Message";
import { partsOf } from "./markdown_of";
import { usePinned } from "./usePinned";

export function PinnedAnswers() {
  const pinned = usePinned();
  return pinned === null || pinned.length === 0 ? null : (
    <section className="pinned" aria-label={t("Pinned answers")}>
      <h3>{t("Pinned answers")}</h3>
      {pinned.map((message) => (
        <Boundary key={message.id} of={message} instead={() => null}>
          <PinnedAnswer message={message} />
        </Boundary>
      ))}
    </section>
  );
}

function PinnedAnswer({ message }: { message: ChatMessage }) {
  const store = useStore();
  return (
    <article className="pinned-answer">
      <Parts parts={partsOf(message)} />
      <p className="row small muted">
        {t("Answered: {day}", { day: dayShown(message.createdAt) })}
        <button type="button" className="button quiet small" onClick={() => void store.pin(message.id, false)}>
          {t("Unpin")}
        </button>
      </p>
    </article>
  );
}
