const EDITED = "input:not([type=checkbox]), textarea, select, [contenteditable], [data-editor]";

/** Whether keys that are pressed here belong to a field. */
export function isEditing(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(EDITED) !== null;
}

/** Whether a dialog or a popover is open: then the page behind it has no keys. */
export function isInDialog(): boolean {
  return document.querySelector("dialog[open], :popover-open") !== null;
}
