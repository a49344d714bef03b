/** Questions that no conversation on the page shows: in a corner of every page, and counted in its title. */

import { createContext, type ReactNode, useContext, useEffect, useLayoutEffect, useMemo, useState } from "react";
import { t } from "../i18n/translate";
import { Icon } from "../parts/Icon";
import { keep } from "../parts/kept";
import { useSnapshot } from "../rpc/RpcProvider";
import { QuestionCard } from "./QuestionCard";
import { askedShown, type Card, cardsOf } from "./questions";

const HIDDEN = "questions.hidden";

type Shown = ReadonlyMap<symbol, readonly string[]>;

const ShownContext = createContext<{ shown: Shown; show: (place: symbol, ids: readonly string[] | null) => void }>({
  shown: new Map(),
  show: () => undefined,
});

export function ShownQuestions({ children }: { children: ReactNode }) {
  const [shown, setShown] = useState<Shown>(new Map());
  const value = useMemo(
    () => ({
      shown,
      show: (place: symbol, ids: readonly string[] | null) =>
        setShown((last) => {
          const next = new Map(last);
          if (ids === null) {
            next.delete(place);
          } else {
            next.set(place, ids);
          }
          return next;
        }),
    }),
    [shown],
  );
  return <ShownContext value={value}>{children}</ShownContext>;
}

/** A conversation shows the questions with these ids for as long as it is on the page. */
export function useShows(ids: readonly string[]): void {
  const { show } = useContext(ShownContext);
  const key = ids.join(" ");
  // Before it is painted: the question is never on the page twice.
  // biome-ignore lint/correctness/useExhaustiveDependencies: `show` is new each time that something is shown
  useLayoutEffect(() => {
    const place = Symbol(key);
    show(place, key.split(" "));
    return () => show(place, null);
  }, [key]);
}

export function OpenQuestions() {
  const { questions } = useSnapshot();
  const { shown } = useContext(ShownContext);
  const elsewhere = new Set([...shown.values()].flat());
  const asked = questions.filter(({ id }) => !elsewhere.has(id));
  const cards = cardsOf(asked);
  const newest = cards.at(-1)?.id;
  // The user may want to see the page before answering, also after a reload. A further question is shown again.
  const [hidden, setHidden] = useState(() => sessionStorage.getItem(HIDDEN));
  const hide = (id: string | null) => {
    keep(sessionStorage, HIDDEN, id);
    setHidden(id);
  };
  return (
    <>
      {/* There before it says something: only then it is heard. */}
      <p className="unseen" role="status">
        {asked.length > 0 && askedShown(asked)}
      </p>
      {newest !== undefined && (
        <Dock cards={cards} isHidden={hidden === newest} onHide={(hides) => hide(hides ? newest : null)} />
      )}
    </>
  );
}

function Dock({
  cards,
  isHidden,
  onHide,
}: {
  cards: readonly Card[];
  isHidden: boolean;
  onHide: (hides: boolean) => void;
}) {
  const count = cards.reduce((sum, { requests }) => sum + requests.length, 0);
  return (
    <aside className={isHidden ? "open-questions folded" : "open-questions"} aria-label={t("Questions of Adiuva")}>
      <button type="button" className="toggle" aria-expanded={!isHidden} onClick={() => onHide(!isHidden)}>
        {t("{count, plural, one {Waits for your yes or no} other {# wait for your yes or no}}", { count })}
        <Icon name="fold" />
      </button>
      {!isHidden && (
        <div className="cards">
          {cards.map((card) => (
            <QuestionCard key={card.id} card={card} hasBrokenOff={false} />
          ))}
        </div>
      )}
    </aside>
  );
}

/** The title of the page, with the number of open questions before it. */
export function useTitle(title: string): void {
  const { questions } = useSnapshot();
  useEffect(() => {
    document.title = questions.length === 0 ? `${title} · Adiuva` : `(${questions.length}) ${title} · Adiuva`;
  }, [title, questions.length]);
}
