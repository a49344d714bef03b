/** Questions that no conversation on the page shows: in a corner of every page, and counted in its title. */

import { createContext, type ReactNode, useContext, useEffect, useLayoutEffect, useMemo, useState } from "react";
import { t } from "../i18n/translate";
import { useSnapshot } from "../rpc/RpcProvider";
import { QuestionCard } from "./QuestionCard";
import { cardsOf } from "./questions";

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
  const cards = cardsOf(questions.filter(({ id }) => !elsewhere.has(id)));
  if (cards.length === 0) {
    return null;
  }
  return (
    <aside className="open-questions" aria-label={t("Questions of Adiuva")}>
      {cards.map((card) => (
        <QuestionCard key={card.id} card={card} hasBrokenOff={false} />
      ))}
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
