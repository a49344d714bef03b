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
      {deletion !== undefined && <ConfirmButton isDangerous name="Delete" yes="Yes, delete it" {...deletion} />}
      <button type="button" className="button" onClick={onCancel}>
        Cancel
      </button>
      <button type="submit" className="button primary" disabled={isBusy} form={form}>
        Save
      </button>
    </div>
  );
}
