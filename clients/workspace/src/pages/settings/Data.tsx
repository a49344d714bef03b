/** Where the data is stored, how to copy it, and how to delete it. */
import { useState } from "react";
import { Link } from "wouter";
import { ConfirmButton } from "../../parts/ConfirmButton";
import { Problem } from "../../parts/Problem";
import { useStore, useTask } from "../../rpc/RpcProvider";
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
  const store = useStore();
  const { run, isBusy, error } = useTask();
  return (
    <section className="section">
      <h2>Your data</h2>
      <p className="muted">
        Tasks, projects, notes, dates and conversations are stored in this browser, in its own database. The server asks
        for what a question needs and keeps none of it. Clearing the site’s data in the browser deletes them: keep a
        copy.
      </p>
      <p className="row">
        <button type="button" className="button" disabled={isBusy} onClick={() => void run(() => store.loadExamples())}>
          Load example data
        </button>
      </p>
      <Problem error={error} />
    </section>
  );
}

function DeleteAll() {
  const store = useStore();
  const [isDone, setDone] = useState(false);
  const remove = async () => {
    setDone(false);
    await store.deleteEverything();
    setDone(true);
  };
  return (
    <section className="section" aria-label="Delete the data in this browser">
      <h2>Delete all data in this browser</h2>
      <p className="muted">
        All of it, conversations too, for good and in this browser alone. If you might want it back, download a copy
        before. You stay signed in. What the assistant remembers about you is on the server, under{" "}
        <Link href="/settings/memory">Memory</Link>.
      </p>
      <ConfirmButton
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
