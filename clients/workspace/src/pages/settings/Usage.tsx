/** How much of the day's quota is used. */

import { numberShown } from "../../i18n/formats";
import { t } from "../../i18n/translate";
import { isoShown } from "../../parts/words";
import { Answered } from "./Answered";
import { useRest } from "./useRest";

interface Used {
  readonly turns: number;
  readonly tokens: number;
  /** Null if there is no limit. */
  readonly limits: { readonly turns: number | null; readonly tokens: number | null };
  readonly renews_at: string;
}

export function Usage() {
  const used = useRest<Used>("/api/v1/usage");
  return (
    <section className="section">
      <h2>{t("Today")}</h2>
      <Answered rest={used}>
        {({ turns, tokens, limits, renews_at }) => (
          <>
            <Amount name={t("Requests")} used={turns} limit={limits.turns} />
            <Amount name={t("Tokens of models")} used={tokens} limit={limits.tokens} />
            <p className="muted small">
              {limits.turns === null && limits.tokens === null
                ? t("There is no limit for you on this server.")
                : t("The quota renews at {when}.", { when: isoShown(renews_at) })}
            </p>
          </>
        )}
      </Answered>
    </section>
  );
}

function Amount({ name, used, limit }: { name: string; used: number; limit: number | null }) {
  if (limit === null) {
    return (
      <p className="amount">
        {name} <span>{numberShown(used)}</span>
      </p>
    );
  }
  const isOver = used >= limit;
  return (
    <div className={isOver ? "amount over" : "amount"}>
      {name}
      <span>{t("{used} of {limit}", { used: numberShown(used), limit: numberShown(limit) })}</span>
      <progress aria-label={name} value={Math.min(used, limit)} max={limit} />
      {isOver && <strong className="small">{t("Used up for today")}</strong>}
    </div>
  );
}
