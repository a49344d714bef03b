/** One tier of what is remembered from conversations, to review and forget. */

import { ConfirmButton } from "../../parts/ConfirmButton";
import { isoShown } from "../../parts/words";
import { useStore } from "../../rpc/RpcProvider";
import { Listed } from "./Answered";
import { ask, RestFailure } from "./rest";
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
  name,
  about,
  text,
}: {
  tier: "associative" | "episodic" | "proactive";
  name: string;
  about: string;
  /** The field with the text. */
  text: string;
}) {
  const store = useStore();
  const rows = usePages<Recollection>(`/api/v1/memory/${tier}?limit=10`, "items", "after");
  const forget = async (id: string) => {
    await ask(store, "DELETE", `/api/v1/memory/${tier}/${id}`).catch(unlessGone);
    rows.drop(id);
  };
  return (
    <section className="section" aria-label={name}>
      <h2>{name}</h2>
      <p className="muted">{about}</p>
      <Listed pages={rows} empty="Nothing yet." more="Show earlier ones">
        {(row) => (
          <div className="with-action">
            <div className="entry">
              <p>{row.unreadable ? "The server cannot read this any more." : String(row[text])}</p>
              <p className="small muted">
                {isoShown(row.created_at)}
                {row.confidence !== undefined && `, ${Math.round(row.confidence * 100)} % sure`}
              </p>
            </div>
            <ConfirmButton
              isSmall
              name="Forget"
              label={row.unreadable ? "Forget what cannot be read" : `Forget: ${String(row[text])}`}
              question="Forget this for good?"
              yes="Yes, forget it"
              act={() => forget(row.id)}
            />
          </div>
        )}
      </Listed>
    </section>
  );
}

/** Forgetting an episode also removes what was derived from it. */
function unlessGone(error: unknown): void {
  if (!(error instanceof RestFailure && error.code === "not_found")) {
    throw error;
  }
}
