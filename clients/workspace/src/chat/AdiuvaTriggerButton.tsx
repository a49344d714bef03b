/** Opens and closes the sidebar: top right of every page's header but Home. */

import { useEffect, useRef } from "react";
import { t } from "../i18n/translate";
import { Mark } from "../parts/Mark";
import { useContextualChat } from "./ContextualChatProvider";

export function AdiuvaTriggerButton() {
  const { open, toggle } = useContextualChat();
  const button = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(open);
  useEffect(() => {
    if (wasOpen.current && !open) {
      button.current?.focus();
    }
    wasOpen.current = open;
  }, [open]);
  if (open) {
    return null;
  }
  return (
    <button
      ref={button}
      type="button"
      className="needle-button"
      aria-label={t("Ask Adiuva")}
      aria-expanded={open}
      onClick={toggle}
    >
      <Mark />
    </button>
  );
}
