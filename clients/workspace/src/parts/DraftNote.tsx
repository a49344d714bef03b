import { t } from "../i18n/translate";
import type { FormDraft } from "./draft";

/** Says that a form has changes that are not saved, which stay if it is closed. */
export function DraftNote({ draft }: { draft: Pick<FormDraft<unknown>, "isChanged" | "discard"> }) {
  return (
    draft.isChanged && (
      <p className="row small muted">
        <span className="grows">{t("Not saved yet. It stays here if you close this.")}</span>
        <button type="button" className="button quiet small" onClick={draft.discard}>
          {t("Discard changes")}
        </button>
      </p>
    )
  );
}
