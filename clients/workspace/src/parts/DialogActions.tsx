import { SureButton } from "./SureButton";

/** What ends a dialog: in its form, or outside of the form that `form` is the id of. */
export function DialogActions({
  isBusy,
  onCancel,
  deletion,
  form,
}: {
  isBusy: boolean;
  onCancel: () => void;
  /** Without it there is nothing to delete. */
  deletion?: { question: string; act: () => Promise<unknown> } | undefined;
  form?: string;
}) {
  return (
    <div className="actions">
      {deletion !== undefined && <SureButton isDangerous name="Delete" yes="Yes, delete it" {...deletion} />}
      <button type="button" className="button" onClick={onCancel}>
        Cancel
      </button>
      <button type="submit" className="button primary" disabled={isBusy} form={form}>
        Save
      </button>
    </div>
  );
}
