/** A checkpoint to be made, changed or deleted. */
import type { RowOf } from "@adiuva/client/database";
import { type FormEvent, useState } from "react";
import { useKeeper, useRows, useTask } from "../line/LineProvider";
import { Dialog } from "../parts/Dialog";
import { dayField, momentOf } from "../parts/dates";
import { Field } from "../parts/Field";
import { DeleteButton } from "./TaskDialog";

type Checkpoint = RowOf["checkpoints"];

export function CheckpointDialog({
  checkpoint,
  projectId = "",
  onClose,
}: {
  /** Null: a new one. */
  checkpoint: Checkpoint | null;
  projectId?: string;
  onClose: () => void;
}) {
  const keeper = useKeeper();
  const projects = useRows("projects") ?? [];
  const { run, isBusy, error } = useTask();
  const [title, setTitle] = useState(checkpoint?.title ?? "");
  const [project, setProject] = useState(checkpoint?.projectId ?? projectId);
  const [day, setDay] = useState(dayField(checkpoint?.date ?? null));
  const save = async (event: FormEvent) => {
    event.preventDefault();
    const date = momentOf(day);
    if (date === null) {
      return;
    }
    const given = { title: title.trim(), projectId: project, date };
    const write = () =>
      checkpoint === null ? keeper.insert("checkpoints", given) : keeper.update("checkpoints", checkpoint.id, given);
    if (await run(write)) {
      onClose();
    }
  };
  return (
    <Dialog title={checkpoint === null ? "New checkpoint" : "Checkpoint"} onClose={onClose}>
      <form className="stack" onSubmit={(event) => void save(event)}>
        <Field name="Title">
          <input className="input" required value={title} onChange={(event) => setTitle(event.target.value)} />
        </Field>
        <div className="pair">
          <Field name="Project">
            <select className="input" required value={project} onChange={(event) => setProject(event.target.value)}>
              <option value="">Choose one</option>
              {projects.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </Field>
          <Field name="Date">
            <input
              className="input"
              type="date"
              required
              value={day}
              onChange={(event) => setDay(event.target.value)}
            />
          </Field>
        </div>
        {error !== "" && <p className="alert">{error}</p>}
        <div className="actions">
          {checkpoint !== null && (
            <DeleteButton
              isBusy={isBusy}
              onDelete={async () => (await run(() => keeper.remove("checkpoints", checkpoint.id))) && onClose()}
            />
          )}
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="button primary" disabled={isBusy}>
            Save
          </button>
        </div>
      </form>
    </Dialog>
  );
}
