/** What an import would do, before it is done. */
import { numberShown } from "../../i18n/formats";
import { t } from "../../i18n/translate";
import { dueShown } from "../../parts/dates";
import type { ImportPreview, ImportSample, TableName } from "../../rpc/messages";
import { KINDS, rowsShown, sourcesShown } from "./moved";
import { Offer } from "./Offer";

export function ImportFound({
  found: { sources, counts, pictures, samples, skipped, remarks },
  isBusy,
  onYes,
  onNo,
}: {
  found: ImportPreview;
  isBusy: boolean;
  onYes: () => void;
  onNo: () => void;
}) {
  const added = rowsShown(countsOf(counts, "added"), samples.length === 0 ? 0 : pictures);
  const known = rowsShown(countsOf(counts, "known"));
  return (
    <Offer
      label={t("Import this?")}
      yes={added === "" ? null : t("Import it")}
      no={added === "" ? t("Close") : t("Leave it")}
      isBusy={isBusy}
      onYes={onYes}
      onNo={onNo}
    >
      <p className="entry">
        <strong>{added === "" ? t("There is nothing new in it.") : added}</strong>
        <span className="small muted">{sourcesShown(sources)}</span>
      </p>
      {known !== "" && (
        <p>
          {t("Here already, and not imported again: {rows}.", { rows: known })}{" "}
          <span className="muted">
            {t(
              "These are projects of the same name, tasks and dates of the same title, project and day, and notes and comments of the same text.",
            )}
          </span>
        </p>
      )}
      {samples.length > 0 && <Samples samples={samples} counts={counts} />}
      {remarks.map(({ text, values }) => (
        <p key={text}>{t(text, values)}</p>
      ))}
      {skipped.length > 0 && (
        <details>
          <summary>{t("{count, plural, one {# is} other {# are}} left out", { count: skipped.length })}</summary>
          <ul className="found-rows">
            {skipped.slice(0, SHOWN).map(({ name, text, values }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the list does not change, and names come twice
              <li key={index}>
                <strong>{name}</strong> <span className="muted">{t(text, values)}</span>
              </li>
            ))}
          </ul>
          {skipped.length > SHOWN && <p>{t("and {count} more", { count: numberShown(skipped.length - SHOWN) })}</p>}
        </details>
      )}
    </Offer>
  );
}

/** How many of what is left out are named. */
const SHOWN = 100;

function countsOf(counts: ImportPreview["counts"], which: "added" | "known"): Record<TableName, number> {
  const entries = Object.entries(counts).map(([table, count]) => [table, count[which]]);
  return Object.fromEntries(entries) as Record<TableName, number>;
}

function Samples({ samples, counts }: { samples: readonly ImportSample[]; counts: ImportPreview["counts"] }) {
  const more = Object.values(counts).reduce((sum, { added }) => sum + added, 0) - samples.length;
  return (
    <>
      <ul className="found-rows">
        {samples.map(({ table, title, project, date }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list does not change, and titles come twice
          <li key={index} className="of-kind">
            <span className="muted small">{t(KINDS[table])}</span>{" "}
            <span>
              {title}{" "}
              <span className="muted small">
                {[project, date === null ? null : dueShown(date)].flatMap((each) => each ?? []).join(" · ")}
              </span>
            </span>
          </li>
        ))}
      </ul>
      {more > 0 && <p className="muted">{t("and {count} more", { count: numberShown(more) })}</p>}
    </>
  );
}
