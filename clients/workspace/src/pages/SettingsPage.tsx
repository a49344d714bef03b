import { useEffect, useState } from "react";
import { useKeeper, useSnapshot, useTask } from "../line/LineProvider";
import { PageFrame } from "../parts/PageFrame";
import { chooseTheme, chosenTheme, type Theme } from "../parts/theme";

interface Assistant {
  readonly model: string;
  readonly offline: boolean;
}

const THEMES: readonly (readonly [Theme, string])[] = [
  ["system", "As the system has it"],
  ["light", "Light"],
  ["dark", "Dark"],
];

export function SettingsPage() {
  const keeper = useKeeper();
  const { account, connection } = useSnapshot();
  const { run, isBusy, error } = useTask();
  const [theme, setTheme] = useState(chosenTheme);
  const choose = (chosen: Theme) => {
    chooseTheme(chosen);
    setTheme(chosen);
  };
  return (
    <PageFrame title="Settings">
      <div className="settings">
        <section className="section">
          <h2>Assistant</h2>
          <Model isOnline={connection.at === "online"} />
        </section>
        <section className="section">
          <h2>Account</h2>
          <dl>
            <dt>Signed in as</dt>
            <dd>{account.at === "signed-in" ? account.email : "–"}</dd>
            <dt>Connection</dt>
            <dd>
              {connection.at === "online" ? "Connected" : connection.at === "ended" ? connection.why : "Not connected"}
            </dd>
          </dl>
          <p className="row">
            <button type="button" className="button" disabled={isBusy} onClick={() => void run(() => keeper.signOut())}>
              Sign out
            </button>
            <span className="small muted">What lies in this browser stays, for when you sign in again.</span>
          </p>
        </section>
        <section className="section">
          <h2>Appearance</h2>
          <div className="row" role="radiogroup" aria-label="Theme">
            {THEMES.map(([value, name]) => (
              <label key={value} className="row">
                <input
                  type="radio"
                  name="theme"
                  value={value}
                  checked={theme === value}
                  onChange={() => choose(value)}
                />
                {name}
              </label>
            ))}
          </div>
        </section>
        <section className="section">
          <h2>Data</h2>
          <p className="muted">
            Tasks, projects, notes, dates and conversations lie in this browser, in a database of its own. The server
            asks for what a question needs and keeps none of it. Clearing the site’s data in the browser deletes them.
          </p>
          <p className="row">
            <button
              type="button"
              className="button"
              disabled={isBusy}
              onClick={() => void run(() => keeper.loadExamples())}
            >
              Load example data
            </button>
          </p>
          {error !== "" && <p className="alert">{error}</p>}
        </section>
      </div>
    </PageFrame>
  );
}

function Model({ isOnline }: { isOnline: boolean }) {
  const keeper = useKeeper();
  const [assistant, setAssistant] = useState<Assistant>();
  useEffect(() => {
    if (!isOnline) {
      return;
    }
    let isCurrent = true;
    keeper.rest("GET", "/api/v1/assistant").then(
      ({ status, body }) => isCurrent && status === 200 && setAssistant(body as Assistant),
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [keeper, isOnline]);
  if (assistant === undefined) {
    return (
      <p className="muted">{isOnline ? "Asking the server…" : "The server says so once there is a connection."}</p>
    );
  }
  return (
    <>
      <dl>
        <dt>Model</dt>
        <dd>{assistant.offline ? "none: the offline assistant answers" : assistant.model}</dd>
      </dl>
      {assistant.offline && (
        <p className="muted">
          It understands plain commands, such as “Which tasks are due today?”. To connect a model, start the server with{" "}
          <code>OPENAI_API_KEY</code>, or with <code>OPENAI_BASE_URL</code> for one of your own.
        </p>
      )}
    </>
  );
}
