/** The frame of the chat beside a page: two floating buttons, and a width that can be dragged. */

import { type KeyboardEvent, type PointerEvent, type RefObject, useEffect, useRef } from "react";
import { useLocation } from "wouter";
import { t } from "../i18n/translate";
import { Icon } from "../parts/Icon";
import { useRows } from "../rpc/RpcProvider";
import { ChatSurface } from "./ChatSurface";
import { SIZES, useContextualChat } from "./ContextualChatProvider";
import { areaOf, suggestionsFor, type Three } from "./suggestions";

const STEP = 2;

export function ContextualSidebar() {
  const { open, size, setSize, toggle, newChat, ...chat } = useContextualChat();
  const suggestions = useSuggestions();
  const shell = useRef<HTMLElement>(null);
  useEffect(() => {
    if (open) {
      shell.current?.querySelector("textarea")?.focus();
    }
  }, [open]);
  useEscape(shell, open && !chat.isStreaming, toggle);
  if (!open) {
    return null;
  }
  return (
    <aside ref={shell} className="sidebar" aria-label="Adiuva" style={{ width: `${size}vw` }}>
      <Splitter size={size} setSize={setSize} />
      <div className="floating">
        <FloatingButton name={t("New chat")} icon="plus" onClick={newChat} />
        <FloatingButton name={t("Close")} icon="close" onClick={toggle} />
      </div>
      <ChatSurface
        {...chat}
        onSend={(message, options) => chat.send(message, options)}
        onStop={chat.stop}
        variant="contextual"
        suggestions={suggestions}
      />
    </aside>
  );
}

/** For the page in front of the user. */
export function useSuggestions(): Three {
  const [location] = useLocation();
  const projects = useRows("projects", {}, 1);
  return suggestionsFor(areaOf(location), projects?.[0]?.name ?? null);
}

/** While an answer is being written, the key stops it. */
function useEscape(shell: RefObject<HTMLElement | null>, isHeard: boolean, close: () => void) {
  useEffect(() => {
    const sidebar = shell.current;
    if (sidebar === null || !isHeard) {
      return;
    }
    const press = (event: globalThis.KeyboardEvent) => event.key === "Escape" && close();
    sidebar.addEventListener("keydown", press);
    return () => sidebar.removeEventListener("keydown", press);
  }, [shell, isHeard, close]);
}

function FloatingButton({ name, icon, onClick }: { name: string; icon: "plus" | "close"; onClick: () => void }) {
  return (
    <button type="button" className="needle-button small" aria-label={name} title={name} onClick={onClick}>
      <Icon name={icon} />
    </button>
  );
}

function Splitter({ size, setSize }: { size: number; setSize: (size: number) => void }) {
  const drag = (event: PointerEvent) => {
    if (event.currentTarget.hasPointerCapture(event.pointerId)) {
      setSize(((window.innerWidth - event.clientX) / window.innerWidth) * 100);
    }
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowLeft: STEP, ArrowRight: -STEP }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setSize(size + step);
    }
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule cannot be moved, a window splitter can (WAI-ARIA)
    <div
      className="splitter"
      role="separator"
      aria-label={t("Width of the sidebar")}
      aria-orientation="vertical"
      aria-valuenow={Math.round(size)}
      aria-valuemin={SIZES.smallest}
      aria-valuemax={SIZES.largest}
      tabIndex={0}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={drag}
      onKeyDown={press}
      onDoubleClick={() => setSize(SIZES.usual)}
    />
  );
}
