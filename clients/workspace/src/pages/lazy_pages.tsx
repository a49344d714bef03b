/** Every page but Home is a bundle of its own, fetched while the browser is idle: the first page needs none of them. */
import { type ComponentType, lazy, Suspense, useEffect } from "react";
import { PageFrame } from "../parts/PageFrame";
import { Unfetched } from "../parts/Unfetched";

const AT_REST_MS = 1000;

const loads: (() => Promise<unknown>)[] = [];

/** `title` is shown until the page is there. */
function lazyPage<Props extends object>(title: string, load: () => Promise<ComponentType<Props>>) {
  const Instead: ComponentType<object> = () => (
    <PageFrame title={title}>
      <Unfetched />
    </PageFrame>
  );
  const instead = () => ({ default: Instead });
  // React wants the module's shape.
  const Page = lazy(() => load().then((page) => ({ default: page as ComponentType<object> }), instead));
  loads.push(load);
  return function LazyPage(props: Props) {
    return (
      <Suspense fallback={<PageFrame title={title}>{null}</PageFrame>}>
        <Page {...props} />
      </Suspense>
    );
  };
}

/** Without a connection they could no longer be fetched; and opening one then takes no time. */
export function usePagesAtHand(): void {
  useEffect(() => {
    const timer = setTimeout(() => void Promise.all(loads.map((load) => load())).catch(() => undefined), AT_REST_MS);
    return () => clearTimeout(timer);
  }, []);
}

export const TasksPage = lazyPage("Tasks", async () => (await import("./TasksPage")).TasksPage);
export const ProjectsPage = lazyPage("Projects", async () => (await import("./ProjectsPage")).ProjectsPage);
export const ProjectPage = lazyPage("Project", async () => (await import("./ProjectPage")).ProjectPage);
export const NotesPage = lazyPage("Notes", async () => (await import("./NotesPage")).NotesPage);
export const NotePage = lazyPage("Note", async () => (await import("./NotePage")).NotePage);
export const TimelinePage = lazyPage("Timeline", async () => (await import("./TimelinePage")).TimelinePage);
export const HistoryPage = lazyPage("History", async () => (await import("./HistoryPage")).HistoryPage);
export const SettingsPage = lazyPage("Settings", async () => (await import("./SettingsPage")).SettingsPage);
