/** Which rows went to which model for an answer, as the server's ledger has it. */
import { useEffect, useState } from "react";
import { useKeeper } from "../line/LineProvider";

interface Entry {
  readonly id: string;
  readonly model: string;
  readonly table: string;
  readonly count: number;
  readonly left_server: boolean;
}

export function Disclosed({ requestId }: { requestId: string }) {
  const keeper = useKeeper();
  const [entries, setEntries] = useState<readonly Entry[] | null>();
  useEffect(() => {
    let isCurrent = true;
    keeper.rest("GET", `/api/v1/disclosures?limit=100&request_id=${encodeURIComponent(requestId)}`).then(
      ({ status, body }) => isCurrent && setEntries(status === 200 ? (body as { results: Entry[] }).results : null),
      () => isCurrent && setEntries(null),
    );
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
    <div className="disclosed">
      <ul>
        {entries.map((entry) => (
          <li key={entry.id}>
            {entry.count} from {entry.table} to {entry.model}
            {entry.left_server ? "" : ", which is part of the server: nothing went further"}
          </li>
        ))}
      </ul>
    </div>
  );
}
