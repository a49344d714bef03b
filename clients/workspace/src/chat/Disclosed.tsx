/** Which rows went to which model for an answer, as the server's ledger has it, by the names they have here. */
import { useEffect, useState } from "react";
import { useKeeper } from "../line/LineProvider";
import type { KeeperApi } from "../line/messages";
import { countOf, modelShown } from "../parts/words";
import { type Entry, namedRows } from "./disclosures";

interface NamedEntry extends Entry {
  readonly names: readonly string[];
}

const SHOWN_NAMES = 20;

/** `entries` is undefined before they are there, null when the server cannot be asked. */
export function Disclosed({ requestId }: { requestId: string }) {
  const keeper = useKeeper();
  const [entries, setEntries] = useState<readonly NamedEntry[] | null>();
  useEffect(() => {
    let isCurrent = true;
    disclosedFor(keeper, requestId)
      .catch(() => null)
      .then((found) => isCurrent && setEntries(found));
    return () => {
      isCurrent = false;
    };
  }, [keeper, requestId]);
  if (entries === undefined) {
    return <p className="disclosed">Asking the server…</p>;
  }
  if (entries === null) {
    return <p className="disclosed">The server cannot be asked at the moment.</p>;
  }
  if (entries.length === 0) {
    return <p className="disclosed">None of your rows went to a model.</p>;
  }
  return (
    <ul className="disclosed">
      {entries.map((entry) => (
        <li key={entry.id}>{sentenceOf(entry)}</li>
      ))}
    </ul>
  );
}

async function disclosedFor(keeper: KeeperApi, requestId: string): Promise<NamedEntry[] | null> {
  const { status, body } = await keeper.rest(
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
      names: (await namedRows(keeper, entry, SHOWN_NAMES)).map(({ name }) => name),
    })),
  );
}

function sentenceOf({ table, row_count, model, left_server, names }: NamedEntry): string {
  const which = names.length > 0 ? ` (${names.join(", ")}${names.length < row_count ? ", …" : ""})` : "";
  const end = left_server ? "" : "; nothing left the server";
  return `${countOf(table, row_count)}${which} to ${modelShown(model)}${end}.`;
}
