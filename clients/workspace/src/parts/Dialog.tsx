/** A modal dialog: the browser's own, which keeps the focus inside, closes on Escape and then restores the focus. */
import { type ReactNode, type SyntheticEvent, useEffect, useId, useLayoutEffect, useRef } from "react";

export function Dialog({
  title,
  isBare = false,
  onClose,
  children,
}: {
  title: string;
  /** The title is only for screen readers, and the content reaches the edges. */
  isBare?: boolean;
  onClose: () => void;
  children: ReactNode;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  const before = useRef<Element | null>(null);
  // At once, so that no key that follows goes to the page below.
  useLayoutEffect(() => {
    const opened = dialog.current;
    if (opened !== null && !opened.open) {
      before.current = focused(document);
      opened.showModal();
      // The browser chooses the first element that can have the focus, which may be one around the field.
      opened.querySelector<HTMLElement>("[data-focus]")?.focus();
    }
  }, []);
  // The browser restores the focus if a dialog is closed, but not if it is removed. It is removed before this runs: until
  // then nothing outside of it can have the focus.
  useEffect(
    () => () => {
      if (before.current instanceof HTMLElement) {
        before.current.focus();
      }
    },
    [],
  );
  // Within the Escape key itself. The browser would tell of a closed dialog later, and the next key may come before that.
  const cancel = (event: SyntheticEvent) => {
    // A field for files has such an event, too.
    if (event.target === event.currentTarget) {
      event.preventDefault();
      onClose();
    }
  };
  return (
    <dialog
      ref={dialog}
      className={isBare ? "dialog bare" : "dialog"}
      aria-labelledby={heading}
      onCancel={cancel}
      onClose={onClose}
    >
      <h2 id={heading} className={isBare ? "unseen" : undefined}>
        {title}
      </h2>
      {children}
    </dialog>
  );
}

/** What has the focus, also in the editor of notes: the element around its shadow root cannot be given the focus. */
function focused({ activeElement }: DocumentOrShadowRoot): Element | null {
  return activeElement?.shadowRoot ? focused(activeElement.shadowRoot) : activeElement;
}
