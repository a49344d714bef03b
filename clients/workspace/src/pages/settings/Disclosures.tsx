/** The ledger of what was sent to which model, the latest first, with the rows' names on this device. */
import { useEffect, useState } from "react";
import { Link } from "wouter";
import { addressOf, type Entity } from "../../blocks/addresses";
import { type Entry, type Named, namedRows } from "../../chat/disclosures";
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
      <h2>What went where</h2>
      <Listed pages={entries} empty="None of your rows has been sent to a model." more="Show earlier ones">
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
        <strong>{countOf(entry.table, entry.row_count)}</strong> to <strong>{modelShown(entry.model)}</strong>{" "}
        {!entry.left_server && <span className="pill">stayed on the server</span>}
      </p>
      {named.length > 0 && (
        <p className="small">
          {named.map(({ id, name }, index) => (
            <span key={id}>
              {index > 0 && ", "}
              <Row table={entry.table} id={id} name={name} />
            </span>
          ))}
          {named.length < entry.row_count && `, and ${entry.row_count - named.length} more`}
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
