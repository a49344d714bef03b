/** The pages and the frame around them. */

import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from "react";
import { Link, Redirect, Route, Router, Switch, useLocation, useRoute } from "wouter";
import { useBackups } from "./backup/useBackups";
import { ContextualChatProvider } from "./chat/ContextualChatProvider";
import { ContextualSidebar } from "./chat/ContextualSidebar";
import { prepareMarkdown } from "./chat/Markdown";
import { OpenQuestions, ShownQuestions } from "./chat/OpenQuestions";
import { useLanguage } from "./i18n/language";
import { msg, T, t } from "./i18n/translate";
import { keyShown } from "./keys/keys";
import { Shortcuts, useOpenOverlay } from "./keys/Shortcuts";
import { NewVersion } from "./offline/NewVersion";
import { askToKeep } from "./offline/persistence";
import { AccountPage } from "./pages/AccountPage";
import { HomePage } from "./pages/HomePage";
import {
  HistoryPage,
  NotePage,
  NotesPage,
  ProjectPage,
  ProjectsPage,
  SettingsPage,
  TasksPage,
  TimelinePage,
  usePagesAtHand,
} from "./pages/lazy_pages";
import { Announcement } from "./parts/Announcement";
import { Boundary } from "./parts/Boundary";
import { Icon, type IconName } from "./parts/Icon";
import { Mark } from "./parts/Mark";
import { PageFrame } from "./parts/PageFrame";
import { Popover } from "./parts/Popover";
import { focusPage, isFocusLost } from "./parts/useFocusInside";
import { useIsWide } from "./parts/useIsWide";
import { WorkProgress } from "./parts/WorkProgress";
import { useRpc, useSnapshot } from "./rpc/RpcProvider";
import { UndoKey } from "./undo/UndoKey";

const BASE = "/app";

/** For developers: not in the built files. */
const PartsPage = import.meta.env.DEV ? lazy(() => import("./dev/PartsPage")) : null;

const PAGES: readonly (readonly [path: string, name: string, icon: IconName])[] = [
  ["/", msg("Home"), "home"],
  ["/tasks", msg("Tasks"), "tasks"],
  ["/projects", msg("Projects"), "projects"],
  ["/notes", msg("Notes"), "notes"],
  ["/timeline", msg("Timeline"), "timeline"],
  ["/history", msg("History"), "history"],
  ["/settings", msg("Settings"), "settings"],
];

export function App() {
  const { account } = useSnapshot();
  // Everything is drawn anew when the language changes.
  return (
    <Router key={useLanguage()} base={BASE}>
      <Switch>
        <Route path="/sign-in">
          <AccountPage key="in" isNew={false} />
        </Route>
        <Route path="/sign-up">
          <AccountPage key="up" isNew />
        </Route>
        {PartsPage !== null && (
          <Route path="/parts">
            <Suspense>
              <PartsPage />
            </Suspense>
          </Route>
        )}
        <Route>
          {account.at === "starting" && <Notice>{t("Opening your data…")}</Notice>}
          {account.at === "failed" && (
            <Notice>{t("The data in this browser cannot be opened: {why}", { why: t(account.why) })}</Notice>
          )}
          {account.at === "signed-out" && <ToSignIn />}
          {account.at === "signed-in" && <Workspace />}
        </Route>
      </Switch>
      <PageAnnouncement />
    </Router>
  );
}

/** An address that was opened without signing in is opened afterwards; a page that was left by signing out is not. */
function ToSignIn() {
  const [location] = useLocation();
  const { hasBeenIn } = useRpc();
  return <Redirect to="/sign-in" replace state={hasBeenIn ? null : { to: `${location}${window.location.search}` }} />;
}

export function Notice({ children }: { children: ReactNode }) {
  return (
    <main className="account-page">
      <p role="status">{children}</p>
    </main>
  );
}

function Workspace() {
  const [isHome] = useRoute("/");
  const [location] = useLocation();
  const area = location.split("/")[1] ?? "";
  usePagesAtHand();
  useBackups();
  useEffect(prepareMarkdown, []);
  useEffect(() => void askToKeep(), []);
  return (
    <ShownQuestions>
      <ContextualChatProvider>
        <Shortcuts>
          <div className="shell">
            <Navigation area={area} />
            <div className="beside">
              <div className="main">
                <Boundary of={location} instead={(again) => <Broken again={again} />}>
                  <Pages />
                </Boundary>
              </div>
              {!isHome && <ContextualSidebar />}
            </div>
            <OpenQuestions />
            <UndoKey />
            <WorkProgress />
            <NewVersion />
          </div>
        </Shortcuts>
      </ContextualChatProvider>
    </ShownQuestions>
  );
}

/** A page whose title has not changed for so long is there. */
const SETTLED_MS = 300;

/**
 * What a browser does itself for whole documents: a screen reader is told the title of the page that is opened, and
 * the next Tab begins in it where the link to it is gone.
 */
function PageAnnouncement() {
  const [location] = useLocation();
  const [title, setTitle] = useState("");
  const before = useRef(location);
  useEffect(() => {
    const tell = () => {
      if (before.current === location) {
        return;
      }
      // What stands for a page that is read has its own title, which the page may share.
      if (document.getElementById("main")?.getAttribute("aria-busy") === "true") {
        timer = setTimeout(tell, SETTLED_MS);
        return;
      }
      before.current = location;
      if (isFocusLost()) {
        focusPage();
      }
      // A new note gets its address while it is written.
      if (!document.activeElement?.matches("input, textarea, [data-editor]")) {
        setTitle(document.title);
      }
    };
    let timer = setTimeout(tell, SETTLED_MS);
    const titles = new MutationObserver(() => {
      clearTimeout(timer);
      timer = setTimeout(tell, SETTLED_MS);
    });
    titles.observe(document.head, { subtree: true, childList: true, characterData: true });
    return () => {
      clearTimeout(timer);
      titles.disconnect();
    };
  }, [location]);
  return <Announcement text={title} />;
}

function Broken({ again }: { again: () => void }) {
  return (
    <main className="page" id="main">
      <p className="alert" role="alert">
        {t("This page could not be shown. Your data is where it was.")}
      </p>
      <p>
        <button type="button" className="button" onClick={again}>
          {t("Try again")}
        </button>
      </p>
    </main>
  );
}

/** From this width on the navigation is a column, as in layout.css. */
const COLUMN_PX = 801;
/** How many pages have a place in the bar of a narrow window. */
const IN_BAR = 4;

function Navigation({ area }: { area: string }) {
  const openOverlay = useOpenOverlay();
  const isColumn = useIsWide(COLUMN_PX);
  return (
    <nav className="navigation" aria-label={t("Pages")}>
      <div className="brand">
        <Mark />
        Adiuva
      </div>
      <button type="button" className="find" onClick={() => openOverlay("all")}>
        <Icon name="search" />
        <span>{t("Search")}</span>
        <kbd>{keyShown("Ctrl+K")}</kbd>
      </button>
      <PageLinks pages={isColumn ? PAGES : PAGES.slice(0, IN_BAR)} area={area} />
      {!isColumn && <MorePages area={area} />}
    </nav>
  );
}

function PageLinks({ pages, area, onGo }: { pages: typeof PAGES; area: string; onGo?: () => void }) {
  return pages.map(([path, name, icon]) => (
    <Link
      key={path}
      href={path}
      className={icon === "settings" ? "last" : ""}
      aria-current={path === `/${area}` ? "page" : undefined}
      {...(onGo === undefined ? {} : { onClick: onGo })}
    >
      <Icon name={icon} />
      <span>{t(name)}</span>
    </Link>
  ));
}

function MorePages({ area }: { area: string }) {
  const [anchor, setAnchor] = useState<Element | null>(null);
  const pages = PAGES.slice(IN_BAR);
  const close = () => setAnchor(null);
  return (
    <>
      <button
        type="button"
        className="more-pages"
        aria-label={t("More pages")}
        aria-haspopup="dialog"
        aria-current={pages.some(([path]) => path === `/${area}`) ? "true" : undefined}
        onClick={({ currentTarget }) => setAnchor(currentTarget)}
      >
        <Icon name="more" />
        <span>{t("More")}</span>
      </button>
      {anchor !== null && (
        <Popover anchor={anchor} label={t("More pages")} onClose={close}>
          <div className="page-list">
            <PageLinks pages={pages} area={area} onGo={close} />
          </div>
        </Popover>
      )}
    </>
  );
}

function Pages() {
  return (
    <Switch>
      <Route path="/">
        <HomePage />
      </Route>
      <Route path="/tasks/:id?">{({ id }) => <TasksPage {...(id === undefined ? {} : { taskId: id })} />}</Route>
      <Route path="/projects">
        <ProjectsPage />
      </Route>
      <Route path="/projects/:id">{({ id }) => <ProjectPage id={id} />}</Route>
      <Route path="/notes">
        <NotesPage />
      </Route>
      <Route path="/notes/:id">{({ id }) => <NotePage id={id} />}</Route>
      <Route path="/timeline/:id?">
        {({ id }) => <TimelinePage {...(id === undefined ? {} : { checkpointId: id })} />}
      </Route>
      <Route path="/history">
        <HistoryPage />
      </Route>
      <Route path="/settings/:section?">{({ section }) => <SettingsPage section={section} />}</Route>
      <Route>
        <PageFrame title={t("Not found")}>
          <p>
            <T text="There is no such page. <0>Home</0>" elements={[<Link key="home" href="/" />]} />
          </p>
        </PageFrame>
      </Route>
    </Switch>
  );
}
