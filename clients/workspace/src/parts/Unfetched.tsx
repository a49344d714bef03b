import { t } from "../i18n/translate";

/** In the place of a part whose script could not be fetched. */
export function Unfetched(_given: object) {
  return (
    <p className="alert row" role="alert">
      <span className="grows">{t("The server cannot be reached, or has a new version.")}</span>
      <button type="button" className="button" onClick={() => location.reload()}>
        {t("Load the page again")}
      </button>
    </p>
  );
}
