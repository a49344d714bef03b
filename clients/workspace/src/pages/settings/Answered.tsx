/** A section that waits for the server, and shows errors. */

import { Fragment, type ReactNode } from "react";
import { t } from "../../i18n/translate";
import type { Pages } from "./usePages";
import type { Rest } from "./useRest";
import type { Setting } from "./useSetting";

export function Failed({ why, onAgain, children }: { why: string; onAgain: () => void; children?: ReactNode }) {
  return (
    <div className="alert row" role="alert">
      <span className="grows">{why}</span>
      {children}
      <button type="button" className="button" onClick={onAgain}>
        {t("Try again")}
      </button>
    </div>
  );
}

function Waiting() {
  return (
    <p className="muted" role="status">
      {t("Asking the server…")}
    </p>
  );
}

/** Shows `children` with the value once it is loaded. */
export function Answered<T>({ rest, children }: { rest: Rest<T>; children: (value: T) => ReactNode }) {
  if (rest.value !== undefined) {
    return children(rest.value);
  }
  return rest.failure === undefined ? <Waiting /> : <Failed why={rest.failure.message} onAgain={rest.again} />;
}

/** A list that is loaded page by page; shows `empty` if there is nothing. */
export function Listed<Row extends { readonly id: string }>({
  pages,
  empty,
  more,
  heading,
  children,
}: {
  pages: Pages<Row>;
  empty: ReactNode;
  /** The label of the button for the next page. */
  more: string;
  /** Under which heading a row comes; without it there are no headings. */
  heading?: (row: Row) => string;
  children: (row: Row) => ReactNode;
}) {
  const { rows, failure } = pages;
  return (
    <>
      {rows?.length === 0 && !pages.hasMore && <p className="muted">{empty}</p>}
      {grouped(rows ?? [], heading).map(([name, together]) => (
        <Fragment key={name}>
          {name !== "" && <h3>{name}</h3>}
          <ul className="settings-list">
            {together.map((row) => (
              <li key={row.id}>{children(row)}</li>
            ))}
          </ul>
        </Fragment>
      ))}
      {rows === undefined && failure === undefined && <Waiting />}
      {failure !== undefined && <Failed why={failure.message} onAgain={pages.more} />}
      {pages.hasMore && failure === undefined && (
        <button type="button" className="button" disabled={pages.isBusy} onClick={pages.more}>
          {more}
        </button>
      )}
    </>
  );
}

/** Rows with the same heading follow each other. */
function grouped<Row>(rows: readonly Row[], heading: (row: Row) => string = () => ""): [string, Row[]][] {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const name = heading(row);
    groups.set(name, [...(groups.get(name) ?? []), row]);
  }
  return [...groups];
}

/** The state of saving, always visible; in the page from the beginning, so that screen readers announce changes. */
export function Saved<T>({ setting }: { setting: Setting<T> }) {
  const { saving } = setting;
  return (
    <div className="saving">
      <p role="status">
        {saving.at === "saving" && <span className="said">{t("Saving…")}</span>}
        {saving.at === "saved" && (
          <span key="saved" className="said passing">
            {saving.isMerged ? t("Saved, with what was changed elsewhere meanwhile.") : t("Saved.")}
          </span>
        )}
      </p>
      {saving.at === "failed" && (
        <Failed why={t("Not saved: {why}", { why: saving.why })} onAgain={setting.save}>
          <button type="button" className="button quiet" onClick={setting.discard}>
            {t("Undo")}
          </button>
        </Failed>
      )}
    </div>
  );
}
