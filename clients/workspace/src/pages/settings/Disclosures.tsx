/** The ledger of what was sent to which model, the latest first, with the rows' names on this device. */

import { useEffect, useState } from "react";
import { Link } from "wouter";
import { addressOf, type Entity } from "../../blocks/addresses";
import { type Entry, type Named, namedRows } from "../../chat/disclosures";
import { T, t } from "../../i18n/translate";
import { countOf, isoShown, modelShown, sourceShown } from "../../parts/words";
import type { TableName } from "../../rpc/messages";
import { useStore } from "../../rpc/RpcProvider";
import { Listed } from "./Answered";
import { usePages } from "./usePages";

const SHOWN_NAMES = 5;

const ENTITIES: Partial<Record<TableName, Entity>> = {
  tasks: "task",
  projects: "project",
  checkpoints: "checkpoint",
  notes: "note",
};

export function Disclosures() {
  const entries = usePages<Entry>("/api/v1/disclosures?limit=10");
  return (
    <section className="section">
      <h2>{t("What went where")}</h2>
      <Listed pages={entries} empty={t("None of your rows has been sent to a model.")} more={t("Show earlier ones")}>
        {(entry) => <Disclosure entry={entry} />}
      </Listed>
    </section>
  );
}

function Disclosure({ entry }: { entry: Entry }) {
  const store = useStore();
  const [named, setNamed] = useState<readonly Named[]>([]);
  useEffect(() => {
    let isCurrent = true;
    namedRows(store, entry, SHOWN_NAMES).then(
      (found) => isCurrent && setNamed(found),
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [store, entry]);
  return (
    <div className="entry">
      <p>
        <T
          text="<0>{rows}</0> to <1>{model}</1>"
          values={{ rows: countOf(entry.table, entry.row_count), model: modelShown(entry.model) }}
          elements={[<strong key="rows" />, <strong key="model" />]}
        />{" "}
        {!entry.left_server && <span className="pill">{t("stayed on the server")}</span>}
      </p>
      {named.length > 0 && (
        <p className="small">
          {named.map(({ id, name }, index) => (
            <span key={id}>
              {index > 0 && ", "}
              <Row table={entry.table} id={id} name={name} />
            </span>
          ))}
          {named.length < entry.row_count &&
            t("{count, plural, one {, and # more} other {, and # more}}", { count: entry.row_count - named.length })}
        </p>
      )}
      <p className="small muted">
        <time dateTime={entry.at}>{isoShown(entry.at)}</time>, {sourceShown(entry.source)}
      </p>
    </div>
  );
}

function Row({ table, id, name }: { table: TableName; id: string; name: string }) {
  const entity = ENTITIES[table];
  return entity === undefined ? name : <Link href={addressOf(entity, id)}>{name}</Link>;
}
