/** A panel beside what opened it: the browser's own popover, which closes on Escape and on a press elsewhere. */
import { type ReactNode, useLayoutEffect, useRef } from "react";

const GAP_PX = 4;
const EDGE_PX = 8;

export function Popover({
  anchor,
  label,
  onClose,
  children,
}: {
  anchor: Element;
  label: string;
  onClose: () => void;
  children: ReactNode;
}) {
  const panel = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = panel.current;
    if (element === null) {
      return;
    }
    element.showPopover?.();
    const place = () => {
      placeAt(element, anchor.getBoundingClientRect());
      focusFirst(element);
    };
    place();
    // What is loaded later changes its size.
    const observer = new ResizeObserver(place);
    observer.observe(element);
    return () => observer.disconnect();
  }, [anchor]);
  return (
    <div
      ref={panel}
      popover="auto"
      tabIndex={-1}
      role="dialog"
      aria-label={label}
      className="popover"
      onToggle={(event) => event.newState === "closed" && onClose()}
    >
      {children}
    </div>
  );
}

/** Until the content is loaded the panel itself has the focus, so that no key goes to what is below it. */
function focusFirst(panel: HTMLElement): void {
  if (panel === document.activeElement || !panel.contains(document.activeElement)) {
    (panel.querySelector<HTMLElement>("[data-focus], input, button, a") ?? panel).focus();
  }
}

/** Below the anchor, or above it if there is more room; always in the window. */
function placeAt(element: HTMLElement, anchor: DOMRect): void {
  const { width, height } = element.getBoundingClientRect();
  const hasRoom = anchor.bottom + GAP_PX + height + EDGE_PX <= innerHeight;
  const top = hasRoom ? anchor.bottom + GAP_PX : Math.max(EDGE_PX, anchor.top - GAP_PX - height);
  const left = Math.max(EDGE_PX, Math.min(anchor.left, innerWidth - width - EDGE_PX));
  element.style.top = `${Math.min(top, Math.max(EDGE_PX, innerHeight - height - EDGE_PX))}px`;
  element.style.left = `${left}px`;
}
