/** Every page but Home is a bundle of its own, fetched while the browser is idle: the first page needs none of them. */

import { type ComponentType, lazy, Suspense, useEffect } from "react";
import { msg, t } from "../i18n/translate";
import { PageFrame } from "../parts/PageFrame";
import { Unfetched } from "../parts/Unfetched";
import { useRpc } from "../rpc/RpcProvider";
import { loadTables } from "../rpc/tables";

const AT_REST_MS = 1000;
const SHOWN = ["tasks", "projects", "notes", "checkpoints"] as const;

const loads: (() => Promise<unknown>)[] = [];

/** `title` is shown until the page is there. */
function lazyPage<Props extends object>(title: string, load: () => Promise<ComponentType<Props>>) {
  const Instead: ComponentType<object> = () => (
    <PageFrame title={t(title)}>
      <Unfetched />
    </PageFrame>
  );
  const instead = () => ({ default: Instead });
  // React wants the module's shape.
  const Page = lazy(() => load().then((page) => ({ default: page as ComponentType<object> }), instead));
  loads.push(load);
  return function LazyPage(props: Props) {
    return (
      <Suspense fallback={<PageFrame title={t(title)} isLoading />}>
        <Page {...props} />
      </Suspense>
    );
  };
}

/** Without a connection they could no longer be fetched; and opening one then takes no time. */
export function usePagesAtHand(): void {
  const rpc = useRpc();
  useEffect(() => {
    const timer = setTimeout(() => {
      void Promise.all(loads.map((load) => load())).catch(() => undefined);
      loadTables(rpc, SHOWN);
    }, AT_REST_MS);
    return () => clearTimeout(timer);
  }, [rpc]);
}

export const TasksPage = lazyPage(msg("Tasks"), async () => (await import("./TasksPage")).TasksPage);
export const ProjectsPage = lazyPage(msg("Projects"), async () => (await import("./ProjectsPage")).ProjectsPage);
export const ProjectPage = lazyPage(msg("Project"), async () => (await import("./ProjectPage")).ProjectPage);
export const NotesPage = lazyPage(msg("Notes"), async () => (await import("./NotesPage")).NotesPage);
export const NotePage = lazyPage(msg("Note"), async () => (await import("./NotePage")).NotePage);
export const TimelinePage = lazyPage(msg("Timeline"), async () => (await import("./TimelinePage")).TimelinePage);
export const HistoryPage = lazyPage(msg("History"), async () => (await import("./HistoryPage")).HistoryPage);
export const SettingsPage = lazyPage(msg("Settings"), async () => (await import("./SettingsPage")).SettingsPage);
