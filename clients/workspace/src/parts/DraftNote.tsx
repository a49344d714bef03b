import { listShown } from "../i18n/formats";
import { t } from "../i18n/translate";
import type { FormDraft } from "./draft";

/** Says that a form has changes that are not saved, which stay if it is closed, and what they would replace. */
export function DraftNote({
  draft,
  names,
}: {
  draft: Pick<FormDraft<unknown>, "isChanged" | "overtaken" | "discard">;
  /** Of the fields. */
  names: Readonly<Record<string, string>>;
}) {
  const overtaken = [...new Set(draft.overtaken.map((field) => names[field] ?? field))];
  return (
    draft.isChanged && (
      <p className="row small muted">
        <span className="grows">
          {t("Not saved yet. It stays here if you close this.")}{" "}
          {overtaken.length > 0 && (
            <span role="status">
              {t("Changed elsewhere meanwhile: {fields}. Saving replaces that.", { fields: listShown(overtaken) })}
            </span>
          )}
        </span>
        <button type="button" className="button quiet small" onClick={draft.discard}>
          {t("Discard changes")}
        </button>
      </p>
    )
  );
}
