/** Which rows were sent to which model for an answer: the server's ledger, with the rows' names on this device. */

import { useEffect, useState } from "react";
import { t } from "../i18n/translate";
import { countOf, modelShown } from "../parts/words";
import type { StoreApi } from "../rpc/messages";
import { useStore } from "../rpc/RpcProvider";
import { type Entry, namedRows } from "./disclosures";

interface NamedEntry extends Entry {
  readonly names: readonly string[];
}

const SHOWN_NAMES = 20;

/** `entries` is undefined until they are loaded, and null if the server cannot be reached. */
export function Disclosed({ requestId }: { requestId: string }) {
  const store = useStore();
  const [entries, setEntries] = useState<readonly NamedEntry[] | null>();
  useEffect(() => {
    let isCurrent = true;
    disclosedFor(store, requestId)
      .catch(() => null)
      .then((found) => isCurrent && setEntries(found));
    return () => {
      isCurrent = false;
    };
  }, [store, requestId]);
  if (entries === undefined) {
    return <p className="disclosed">{t("Asking the server…")}</p>;
  }
  if (entries === null) {
    return <p className="disclosed">{t("The server cannot be asked at the moment.")}</p>;
  }
  if (entries.length === 0) {
    return <p className="disclosed">{t("None of your rows went to a model.")}</p>;
  }
  return (
    <ul className="disclosed">
      {entries.map((entry) => (
        <li key={entry.id}>{sentenceOf(entry)}</li>
      ))}
    </ul>
  );
}

async function disclosedFor(store: StoreApi, requestId: string): Promise<NamedEntry[] | null> {
  const { status, body } = await store.rest(
    "GET",
    `/api/v1/disclosures?limit=100&request_id=${encodeURIComponent(requestId)}`,
  );
  if (status !== 200) {
    return null;
  }
  const entries = (body as { results: Entry[] }).results;
  return await Promise.all(
    entries.map(async (entry) => ({
      ...entry,
      names: (await namedRows(store, entry, SHOWN_NAMES)).map(({ name }) => name),
    })),
  );
}

function sentenceOf({ table, row_count, model, left_server, names }: NamedEntry): string {
  const which = names.length > 0 ? ` (${names.join(", ")}${names.length < row_count ? ", …" : ""})` : "";
  const values = { rows: countOf(table, row_count) + which, model: modelShown(model) };
  return left_server ? t("{rows} to {model}.", values) : t("{rows} to {model}; nothing left the server.", values);
}
