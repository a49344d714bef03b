/** Where the data lies, how to keep a copy of it, and how to be rid of it. */
import { useState } from "react";
import { Link } from "wouter";
import { useKeeper, useTask } from "../../line/LineProvider";
import { Problem } from "../../parts/Problem";
import { SureButton } from "../../parts/SureButton";
import { Copies } from "./Copies";

export function Data() {
  return (
    <>
      <Place />
      <Copies />
      <DeleteAll />
    </>
  );
}

function Place() {
  const keeper = useKeeper();
  const { run, isBusy, error } = useTask();
  return (
    <section className="section">
      <h2>Your data</h2>
      <p className="muted">
        Tasks, projects, notes, dates and conversations lie in this browser, in a database of its own. The server asks
        for what a question needs and keeps none of it. Clearing the site’s data in the browser deletes them: keep a
        copy.
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
      <Problem error={error} />
    </section>
  );
}

function DeleteAll() {
  const keeper = useKeeper();
  const [isDone, setDone] = useState(false);
  const remove = async () => {
    setDone(false);
    await keeper.deleteEverything();
    setDone(true);
  };
  return (
    <section className="section" aria-label="Delete what lies here">
      <h2>Delete what lies here</h2>
      <p className="muted">
        All of it, conversations too, for good and in this browser alone. If you might want it back, download a copy
        before. You stay signed in. What the assistant remembers of you lies on the server, under{" "}
        <Link href="/settings/memory">Memory</Link>.
      </p>
      <SureButton
        name="Delete everything here…"
        question="Delete all tasks, projects, notes and conversations in this browser?"
        yes="Yes, delete all"
        act={remove}
      />
      <p className="small" role="status">
        {isDone && "Everything here is deleted."}
      </p>
    </section>
  );
}
