const EDITED = "input:not([type=checkbox]), textarea, select, [contenteditable], [data-editor]";

/** Whether keys that are pressed here belong to a field. */
export function isEditing(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(EDITED) !== null;
}
