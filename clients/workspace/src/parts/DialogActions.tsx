import { t } from "../i18n/translate";
import { ConfirmButton } from "./ConfirmButton";

/** The buttons at the end of a dialog: in its form, or outside it with the form's id in `form`. */
export function DialogActions({
  isBusy,
  onCancel,
  deletion,
  form,
}: {
  isBusy: boolean;
  onCancel: () => void;
  /** Without it there is no button to delete. */
  deletion?: { question: string; act: () => Promise<unknown> } | undefined;
  form?: string;
}) {
  return (
    <div className="actions">
      {deletion !== undefined && (
        <ConfirmButton isDangerous name={t("Delete")} yes={t("Yes, delete it")} {...deletion} />
      )}
      <button type="button" className="button" onClick={onCancel}>
        {t("Cancel")}
      </button>
      <button type="submit" className="button primary" disabled={isBusy} form={form}>
        {t("Save")}
      </button>
    </div>
  );
}
