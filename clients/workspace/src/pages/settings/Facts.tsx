/** Facts that were found in conversations: where each was said, and which another one has taken the place of. */

import { useState } from "react";
import { Link } from "wouter";
import { addressOf, type Entity } from "../../blocks/addresses";
import { LONGEST } from "../../chat/remembered";
import { msg, T, t } from "../../i18n/translate";
import { Correctable } from "../../parts/Correctable";
import { Problem } from "../../parts/Problem";
import { isoShown, quoted } from "../../parts/words";
import type { TableName } from "../../rpc/messages";
import { useRow, useStore, useTask } from "../../rpc/RpcProvider";
import { Listed } from "./Answered";
import { ask } from "./rest";
import { usePages } from "./usePages";

const FACTS = "/api/v1/memory/associative";

interface Fact {
  readonly id: string;
  readonly content: string;
  /** When it was said. */
  readonly created_at: string;
  /** The exchange in which it was said, by its id; null if that is not known. */
  readonly said_in: string | null;
  /** The row on this device that it is about. */
  readonly about: { readonly entity_type: string; readonly entity_id: string } | null;
  readonly superseded_by: string | null;
  readonly superseded_as: string;
  readonly superseded_at: string | null;
  readonly unreadable: boolean;
}

const TABLES: Readonly<Record<Entity, TableName>> = {
  task: "tasks",
  project: "projects",
  checkpoint: "checkpoints",
  note: "notes",
};

const SUPERSEDED: Readonly<Record<string, string>> = {
  contradicts: msg("No longer true since {when}."),
  corrects: msg("Corrected by you on {when}."),
  more_precise: msg("Said more precisely on {when}."),
  same: msg("Said again on {when}."),
};

const REPLACED = msg("Replaced on {when}.");

export function Facts() {
  const facts = usePages<Fact>(`${FACTS}?kind=fact&limit=10`);
  return (
    <section className="section" aria-label={t("Facts")}>
      <h2>{t("Facts")}</h2>
      <p className="muted">
        {t(
          "Found in what you say. Answers use those that fit the question; of two that cannot both be true, the newer one.",
        )}
      </p>
      <Listed pages={facts} empty={t("Nothing yet.")} more={t("Show earlier ones")}>
        {(fact) => <One given={fact} onForgotten={() => facts.drop(fact.id)} />}
      </Listed>
    </section>
  );
}

function One({ given, onForgotten }: { given: Fact; onForgotten: () => void }) {
  const store = useStore();
  const [fact, setFact] = useState(given);
  const { run, isBusy, error } = useTask();
  const { id, content, unreadable, said_in } = fact;
  const isSuperseded = fact.superseded_by !== null;
  const about = unreadable ? t("what cannot be read") : quoted(content);
  const correct = async (text: string) => {
    await store.correctMemory({ id, kind: "fact" }, text);
    setFact({ ...fact, content: text });
  };
  const restore = async () => setFact(await ask<Fact>(store, "POST", `${FACTS}/${id}/restore`));
  const forget = async () => {
    await store.forgetMemory({ id, kind: "fact", said_in });
    onForgotten();
  };
  return (
    <Correctable
      about={about}
      text={content}
      longest={LONGEST.fact}
      {...(!unreadable && !isSuperseded && { onCorrect: correct })}
      onForget={forget}
      before={
        isSuperseded &&
        !unreadable && (
          <button
            type="button"
            className="button small"
            aria-label={t("Restore {what}", { what: about })}
            disabled={isBusy}
            onClick={() => void run(restore)}
          >
            {t("Restore")}
          </button>
        )
      }
    >
      <p className={isSuperseded ? "muted" : undefined}>
        {unreadable ? t("The server cannot read this any more.") : content}
      </p>
      <p className="small muted">
        {whereShown(fact)} {fact.about && <About of={fact.about} />}
      </p>
      <Problem error={error && t("Not restored: {why}", { why: error })} />
    </Correctable>
  );
}

/** The name of the row, if this device has it. */
function About({ of: { entity_type, entity_id } }: { of: NonNullable<Fact["about"]> }) {
  const entity = Object.keys(TABLES).find((each): each is Entity => each === entity_type);
  return entity === undefined ? null : <AboutRow entity={entity} id={entity_id} />;
}

function AboutRow({ entity, id }: { entity: Entity; id: string }) {
  const row = useRow(TABLES[entity], id) as { title?: string; name?: string } | null | undefined;
  const name = row?.title ?? row?.name;
  return name === undefined ? null : (
    <T text="About <0>{name}</0>." values={{ name }} elements={[<Link key="row" href={addressOf(entity, id)} />]} />
  );
}

function whereShown({ created_at, said_in, superseded_as, superseded_at }: Fact): string {
  const when = isoShown(created_at);
  const said = said_in === null ? t("Noted on {when}.", { when }) : t("Said on {when}.", { when });
  return superseded_at === null
    ? said
    : `${said} ${t(SUPERSEDED[superseded_as] ?? REPLACED, { when: isoShown(superseded_at) })}`;
}
