/** Opens and closes the sidebar: top right of every page's header but Home. */
import { Mark } from "../parts/Mark";
import { useContextualChat } from "./ContextualChatProvider";

export function AdiuvaTriggerButton() {
  const { open, toggle } = useContextualChat();
  if (open) {
    return null;
  }
  return (
    <button type="button" className="needle-button" aria-label="Ask Adiuva" aria-expanded={open} onClick={toggle}>
      <Mark />
    </button>
  );
}
