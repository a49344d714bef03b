/** The keys that work on every page, and what they open. */
import {
  createContext,
  lazy,
  type ReactNode,
  Suspense,
  useCallback,
  useContext,
  useEffect,
  useRef,
  useState,
} from "react";
import { useLocation } from "wouter";
import { useContextualChat } from "../chat/ContextualChatProvider";
import { Unfetched } from "../parts/Unfetched";
import { isEditing } from "./editing";
import { hasSingleKeys, PLACES } from "./keys";

/** `add` expects a task in one line. */
export type Overlay = "all" | "add" | "help";

const load = {
  palette: () => import("../palette/CommandPalette"),
  help: () => import("./KeyHelp"),
};
const Palette = lazy(() => load.palette().then(({ CommandPalette }) => ({ default: CommandPalette }), unfetched));
const Help = lazy(() => load.help().then(({ KeyHelp }) => ({ default: KeyHelp }), unfetched));

function unfetched() {
  return { default: Unfetched };
}

const AT_REST_MS = 1500;
/** How long after `g` the next key counts. */
const SEQUENCE_MS = 1500;

const OpenOverlay = createContext<(overlay: Overlay) => void>(() => undefined);

export function useOpenOverlay(): (overlay: Overlay) => void {
  return useContext(OpenOverlay);
}

export function Shortcuts({ children }: { children: ReactNode }) {
  const [overlay, setOverlay] = useState<Overlay | null>(null);
  const close = useCallback(() => setOverlay(null), []);
  useKeys(setOverlay, overlay !== null);
  useEffect(() => {
    // Without a connection they could no longer be fetched.
    const timer = setTimeout(() => void Promise.all([load.palette(), load.help()]).catch(() => undefined), AT_REST_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <OpenOverlay value={setOverlay}>
      {children}
      <Suspense>
        {(overlay === "all" || overlay === "add") && (
          <Palette isQuickAdd={overlay === "add"} onClose={close} onHelp={() => setOverlay("help")} />
        )}
        {overlay === "help" && <Help onClose={close} />}
      </Suspense>
    </OpenOverlay>
  );
}

/** While an overlay is opened, its keys are its own, also before it is fetched. */
function useKeys(open: (overlay: Overlay) => void, isOpen: boolean): void {
  const [, go] = useLocation();
  const { toggle } = useContextualChat();
  const before = useRef({ key: "", at: 0 });
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      // What has the focus may have taken the key: in a question, n says no.
      if (isOpen || event.defaultPrevented) {
        return;
      }
      const act = actOf(event, { open, go, toggle, before: before.current });
      before.current = { key: event.key.toLowerCase(), at: event.timeStamp };
      if (act !== undefined) {
        event.preventDefault();
        act();
      }
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [open, isOpen, go, toggle]);
}

interface Means {
  readonly before: { readonly key: string; readonly at: number };
  open(overlay: Overlay): void;
  go(path: string): void;
  toggle(): void;
}

function actOf(event: KeyboardEvent, { open, go, toggle, before }: Means): (() => void) | undefined {
  const { key, ctrlKey, metaKey, altKey, target, timeStamp } = event;
  const isInDialog = document.querySelector("dialog[open], :popover-open") !== null;
  if ((ctrlKey || metaKey) && key.toLowerCase() === "k" && !isInDialog) {
    return () => open("all");
  }
  if (ctrlKey || metaKey || altKey || isEditing(target) || isInDialog || !hasSingleKeys()) {
    return undefined;
  }
  if (before.key === "g" && timeStamp - before.at < SEQUENCE_MS) {
    const place = PLACES[key.toLowerCase()];
    return place && (() => go(place[0]));
  }
  const keys: Readonly<Record<string, () => void>> = {
    q: () => open("add"),
    c: () => go("/tasks/new"),
    n: () => go("/notes/new"),
    a: toggle,
    "?": () => open("help"),
    "/": () => document.querySelector<HTMLElement>("[data-search]")?.focus(),
  };
  return keys[key];
}
