/** One tier of what is remembered from conversations, to review, correct and forget. */

import type { ItemKind } from "@adiuva/client";
import { useState } from "react";
import { LONGEST } from "../../chat/remembered";
import { percentShown } from "../../i18n/formats";
import { t } from "../../i18n/translate";
import { Correctable } from "../../parts/Correctable";
import { dayShown, timeShown } from "../../parts/dates";
import { isoShown, quoted } from "../../parts/words";
import { useStore } from "../../rpc/RpcProvider";
import { Listed } from "./Answered";
import { usePages } from "./usePages";

interface Recollection {
  readonly id: string;
  readonly created_at: string;
  readonly unreadable: boolean;
  readonly confidence?: number;
  readonly [field: string]: unknown;
}

export function Recollections({
  tier,
  kind,
  name,
  about,
  text,
  isByDay = false,
}: {
  tier: "episodic" | "proactive";
  kind: ItemKind;
  name: string;
  about: string;
  /** The field with the text. */
  text: string;
  /** Whether the rows of a day come under its name. */
  isByDay?: boolean;
}) {
  const rows = usePages<Recollection>(`/api/v1/memory/${tier}?limit=10`);
  return (
    <section className="section" aria-label={name}>
      <h2>{name}</h2>
      <p className="muted">{about}</p>
      <Listed
        pages={rows}
        empty={t("Nothing yet.")}
        more={t("Show earlier ones")}
        {...(isByDay && { heading: ({ created_at }: Recollection) => dayShown(Date.parse(created_at)) })}
      >
        {(row) => (
          <One row={row} kind={kind} text={String(row[text])} isByDay={isByDay} onForgotten={() => rows.drop(row.id)} />
        )}
      </Listed>
    </section>
  );
}

function One({
  row,
  kind,
  text,
  isByDay,
  onForgotten,
}: {
  row: Recollection;
  kind: ItemKind;
  text: string;
  isByDay: boolean;
  onForgotten: () => void;
}) {
  const store = useStore();
  const [corrected, setCorrected] = useState<string>();
  const { id, unreadable, created_at, confidence } = row;
  const known = corrected ?? text;
  const correct = async (given: string) => {
    await store.correctMemory({ id, kind }, given);
    setCorrected(given);
  };
  const forget = async () => {
    await store.forgetMemory({ id, kind });
    onForgotten();
  };
  return (
    <Correctable
      about={unreadable ? t("what cannot be read") : quoted(known)}
      text={known}
      longest={LONGEST[kind]}
      {...(!unreadable && { onCorrect: correct })}
      onForget={forget}
    >
      <p>{unreadable ? t("The server cannot read this any more.") : known}</p>
      <p className="small muted">
        {isByDay ? timeShown(Date.parse(created_at)) : isoShown(created_at)}
        {confidence !== undefined && `, ${t("{percent} sure", { percent: percentShown(confidence) })}`}
      </p>
    </Correctable>
  );
}
