/** One tier of what is remembered from conversations, to review, correct and forget. */
import type { ItemKind } from "@adiuva/client";
import { useState } from "react";
import { LONGEST } from "../../chat/remembered";
import { Correctable } from "../../parts/Correctable";
import { isoShown } from "../../parts/words";
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
}: {
  tier: "associative" | "episodic" | "proactive";
  kind: ItemKind;
  name: string;
  about: string;
  /** The field with the text. */
  text: string;
}) {
  const rows = usePages<Recollection>(`/api/v1/memory/${tier}?limit=10`, "items", "after");
  return (
    <section className="section" aria-label={name}>
      <h2>{name}</h2>
      <p className="muted">{about}</p>
      <Listed pages={rows} empty="Nothing yet." more="Show earlier ones">
        {(row) => <One row={row} kind={kind} text={String(row[text])} onForgotten={() => rows.drop(row.id)} />}
      </Listed>
    </section>
  );
}

function One({
  row,
  kind,
  text,
  onForgotten,
}: {
  row: Recollection;
  kind: ItemKind;
  text: string;
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
      about={unreadable ? "what cannot be read" : `“${known}”`}
      text={known}
      longest={LONGEST[kind]}
      {...(!unreadable && { onCorrect: correct })}
      onForget={forget}
    >
      <p>{unreadable ? "The server cannot read this any more." : known}</p>
      <p className="small muted">
        {isoShown(created_at)}
        {confidence !== undefined && `, ${Math.round(confidence * 100)} % sure`}
      </p>
    </Correctable>
  );
}
