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
import { t } from "../i18n/translate";
import { Dialog } from "../parts/Dialog";
import { Unfetched } from "../parts/Unfetched";
import { isEditing, isInDialog } from "./editing";
import { hasSingleKeys, PLACES } from "./keys";
import { useTyped } from "./useTyped";

/** `add` expects a task in one line. */
export type Overlay = "all" | "add" | "help";

const load = {
  palette: () => import("../palette/CommandPalette"),
  help: () => import("./KeyHelp"),
};
const Palette = lazy(() => load.palette().then(({ CommandPalette }) => ({ default: CommandPalette }), unfetched));
const Help = lazy(() => load.help().then(({ KeyHelp }) => ({ default: KeyHelp }), unfetched));

function unfetched() {
  return { default: UnfetchedOverlay };
}

function UnfetchedOverlay({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title={t("Not loaded")} onClose={onClose}>
      <Unfetched />
    </Dialog>
  );
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
  const isLine = overlay === "all" || overlay === "add";
  const typed = useTyped(isLine, close);
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
        {isLine && (
          <Palette isQuickAdd={overlay === "add"} typed={typed} onClose={close} onHelp={() => setOverlay("help")} />
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
    const act = (event: KeyboardEvent, does: (() => void) | undefined) => {
      if (does !== undefined) {
        event.preventDefault();
        event.stopPropagation();
        does();
      }
    };
    // After a g the key is no longer that of what has the focus: in a list, p would be the priority.
    const finish = (event: KeyboardEvent) => {
      const { key, at } = before.current;
      before.current = { key: event.key.toLowerCase(), at: event.timeStamp };
      if (key === "g" && event.timeStamp - at < SEQUENCE_MS && !isOpen && isSingle(event)) {
        const place = PLACES[event.key.toLowerCase()];
        act(event, place && (() => go(place[0])));
      }
    };
    const press = (event: KeyboardEvent) => {
      // What has the focus may have taken the key: in a question, n says no.
      if (!isOpen && !event.defaultPrevented) {
        act(event, actOf(event, { open, go, toggle }));
      }
    };
    document.addEventListener("keydown", finish, true);
    document.addEventListener("keydown", press);
    return () => {
      document.removeEventListener("keydown", finish, true);
      document.removeEventListener("keydown", press);
    };
  }, [open, isOpen, go, toggle]);
}

interface Means {
  open(overlay: Overlay): void;
  go(path: string): void;
  toggle(): void;
}

/** Whether a key without Ctrl belongs to the page. */
function isSingle({ ctrlKey, metaKey, altKey, target }: KeyboardEvent): boolean {
  return !(ctrlKey || metaKey || altKey) && !isEditing(target) && !isInDialog() && hasSingleKeys();
}

function actOf(event: KeyboardEvent, { open, go, toggle }: Means): (() => void) | undefined {
  const { key, ctrlKey, metaKey } = event;
  if ((ctrlKey || metaKey) && key.toLowerCase() === "k" && !isInDialog()) {
    return () => open("all");
  }
  if (!isSingle(event)) {
    return undefined;
  }
  const keys: Readonly<Record<string, () => void>> = {
    q: () => open("add"),
    c: () => go("/tasks/new"),
    n: () => go("/notes/new"),
    a: toggle,
    "?": () => open("help"),
    "/": () => document.querySelector<HTMLElement>("[data-search]")?.focus(),
    // Once a row has the focus, the list itself takes them.
    j: enterList,
    k: enterList,
  };
  return keys[key];
}

/** Gives the focus to the first task in sight. */
function enterList(): void {
  const rows = [...document.querySelectorAll<HTMLElement>(".task-row .open")];
  rows.find((row) => row.getBoundingClientRect().top >= 0)?.focus();
}
