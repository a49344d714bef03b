/** A modal dialog: the browser's own, which keeps the focus inside and closes on Escape; then the focus is where it was. */
import { type ReactNode, useEffect, useId, useRef } from "react";

export function Dialog({ title, onClose, children }: { title: string; onClose: () => void; children: ReactNode }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  const before = useRef<Element | null>(null);
  useEffect(() => {
    const opened = dialog.current;
    if (opened !== null && !opened.open) {
      before.current = document.activeElement;
      opened.showModal();
    }
    // The browser gives the focus back when a dialog is closed, not when it is taken away.
    return () => {
      if (before.current instanceof HTMLElement) {
        before.current.focus();
      }
    };
  }, []);
  return (
    <dialog ref={dialog} className="dialog" aria-labelledby={heading} onClose={onClose}>
      <h2 id={heading}>{title}</h2>
      {children}
    </dialog>
  );
}
