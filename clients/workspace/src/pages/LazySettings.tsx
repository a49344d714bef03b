/** Settings are a separate bundle, fetched while the browser is idle: the first page does not need it. */
import { lazy, Suspense, useEffect } from "react";
import { PageFrame } from "../parts/PageFrame";

const AT_REST_MS = 2000;

const load = async () => ({ default: (await import("./SettingsPage")).SettingsPage });
const unavailable = () => ({ default: Unavailable });
const SettingsPage = lazy(() => load().catch(unavailable));

/** Without a connection it could no longer be fetched. */
export function useSettingsAtHand(): void {
  useEffect(() => {
    const timer = setTimeout(() => void load().catch(() => undefined), AT_REST_MS);
    return () => clearTimeout(timer);
  }, []);
}

export function LazySettings({ section }: { section: string | undefined }) {
  return (
    <Suspense fallback={<PageFrame title="Settings">{null}</PageFrame>}>
      <SettingsPage section={section} />
    </Suspense>
  );
}

function Unavailable(_given: { section: string | undefined }) {
  return (
    <PageFrame title="Settings">
      <p className="alert row" role="alert">
        <span className="grows">The server cannot be reached, or has a new version.</span>
        <button type="button" className="button" onClick={() => location.reload()}>
          Load the page again
        </button>
      </p>
    </PageFrame>
  );
}
