/** One tier of what was gathered from conversations, to be looked through and forgotten. */
import { useKeeper } from "../../line/LineProvider";
import { SureButton } from "../../parts/SureButton";
import { isoShown } from "../../parts/words";
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
  /** The field that holds the words. */
  text: string;
}) {
  const keeper = useKeeper();
  const rows = usePages<Recollection>(`/api/v1/memory/${tier}?limit=10`, "items", "after");
  const forget = async (id: string) => {
    await ask(keeper, "DELETE", `/api/v1/memory/${tier}/${id}`).catch(unlessGone);
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
            <SureButton
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

/** What was made from something that is forgotten goes with it. */
function unlessGone(error: unknown): void {
  if (!(error instanceof RestFailure && error.code === "not_found")) {
    throw error;
  }
}
