/** Views that the user has given a name: kept in this browser for each account, as the addresses that they are. */
import { type FormEvent, useState } from "react";
import { Link } from "wouter";
import { t } from "../i18n/translate";
import { FULL, keep } from "../parts/kept";
import { Popover } from "../parts/Popover";
import { Problem } from "../parts/Problem";
import { useSnapshot } from "../rpc/RpcProvider";

const KEPT = "tasks.views";

interface SavedView {
  readonly name: string;
  /** With its question mark. */
  readonly query: string;
}

function savedViews(key: string): SavedView[] {
  // Of a version that had one list for all accounts: they are of who signs in first.
  const unowned = localStorage.getItem(KEPT);
  if (unowned !== null && keep(localStorage, key, unowned)) {
    localStorage.removeItem(KEPT);
  }
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? "[]");
    return Array.isArray(kept) ? kept.filter(isView) : [];
  } catch {
    return [];
  }
}

function isView(given: unknown): given is SavedView {
  const view = given as Partial<SavedView> | null;
  return typeof view?.name === "string" && typeof view.query === "string";
}

/** `query` is that of the view which is shown. */
export function SavedViews({ query }: { query: string }) {
  const { account } = useSnapshot();
  const key = `${KEPT}.${account.at === "signed-in" ? account.email : ""}`;
  const [views, setViews] = useState(() => savedViews(key));
  const [anchor, setAnchor] = useState<Element | null>(null);
  const [isKept, setKept] = useState(true);
  const change = (now: SavedView[]) => {
    setKept(keep(localStorage, key, JSON.stringify(now)));
    setViews(savedViews(key));
  };
  const isKnown = query === "" || views.some((view) => view.query === query);
  if (views.length === 0 && isKnown) {
    return null;
  }
  return (
    <nav className="views" aria-label={t("Views")}>
      <Link href="/tasks" aria-current={query === "" ? "page" : undefined}>
        {t("Open tasks")}
      </Link>
      {views.map((view) => (
        <span key={view.query} className="view">
          <Link href={`/tasks${view.query}`} aria-current={view.query === query ? "page" : undefined}>
            {view.name}
          </Link>
          {view.query === query && (
            <button
              type="button"
              aria-label={t("Delete the view {name}", { name: view.name })}
              onClick={() => change(views.filter((each) => each !== view))}
            >
              ×
            </button>
          )}
        </span>
      ))}
      {!isKnown && (
        <button type="button" className="button small quiet" onClick={(event) => setAnchor(event.currentTarget)}>
          {t("Save this view")}
        </button>
      )}
      <Problem error={isKept ? "" : t(FULL)} />
      {anchor !== null && (
        <Popover anchor={anchor} label={t("Save this view")} onClose={() => setAnchor(null)}>
          <ViewName
            onSave={(name) => {
              change([...views, { name, query }]);
              setAnchor(null);
            }}
          />
        </Popover>
      )}
    </nav>
  );
}

function ViewName({ onSave }: { onSave: (name: string) => void }) {
  const [name, setName] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() !== "") {
      onSave(name.trim());
    }
  };
  return (
    <form className="row" onSubmit={submit}>
      <input
        data-focus
        className="input"
        aria-label={t("Name of the view")}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <button type="submit" className="button primary">
        {t("Save")}
      </button>
    </form>
  );
}
