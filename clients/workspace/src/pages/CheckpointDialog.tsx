/** Creates, changes or deletes a checkpoint. */

import type { RowOf } from "@adiuva/client/database";
import type { FormEvent } from "react";
import { t } from "../i18n/translate";
import { Dialog } from "../parts/Dialog";
import { DialogActions } from "../parts/DialogActions";
import { DraftNote } from "../parts/DraftNote";
import { dayField, timeField } from "../parts/dates";
import { useFormDraft } from "../parts/draft";
import { Field } from "../parts/Field";
import { editedMoment, MomentFields } from "../parts/MomentFields";
import { Problem } from "../parts/Problem";
import { ProjectSelect } from "../parts/ProjectSelect";
import { useIsMounted } from "../parts/useIsMounted";
import { useStore, useTask } from "../rpc/RpcProvider";

type Checkpoint = RowOf["checkpoints"];

export function CheckpointDialog({
  checkpoint,
  projectId = "",
  onClose,
}: {
  /** Null for a new one. */
  checkpoint: Checkpoint | null;
  projectId?: string;
  onClose: () => void;
}) {
  const store = useStore();
  const { run, isBusy, error } = useTask();
  const isMounted = useIsMounted();
  /** Not once the user has closed it: what is open then is something else. */
  const close = () => isMounted.current && onClose();
  const stored = checkpoint?.date ?? null;
  const draft = useFormDraft(`checkpoint.${checkpoint?.id ?? `new.${projectId}`}`, {
    title: checkpoint?.title ?? "",
    project: checkpoint?.projectId ?? projectId,
    day: dayField(stored),
    time: timeField(stored),
  });
  const { title, project } = draft.values;
  const edited = editedMoment(stored, draft.values, draft.set);
  const save = async (event: FormEvent) => {
    event.preventDefault();
    const { moment: date } = edited;
    if (date === null) {
      return;
    }
    const given = { title: title.trim(), projectId: project, date };
    const write = () =>
      checkpoint === null ? store.insert("checkpoints", given) : store.update("checkpoints", checkpoint.id, given);
    if (await run(write)) {
      draft.discard();
      close();
    }
  };
  const remove = async (id: string) => {
    await store.remove("checkpoints", id);
    close();
  };
  return (
    <Dialog title={checkpoint === null ? t("New checkpoint") : t("Checkpoint")} onClose={onClose}>
      <form className="stack" onSubmit={(event) => void save(event)}>
        <Field name={t("Title")}>
          <input
            className="input"
            required
            value={title}
            onChange={(event) => draft.set({ title: event.target.value })}
          />
        </Field>
        <Field name={t("Project")}>
          <ProjectSelect
            isRequired
            none={t("Choose one")}
            value={project}
            onChange={(given) => draft.set({ project: given })}
          />
        </Field>
        <div className="pair">
          <MomentFields isRequired name={t("Date")} edited={edited} />
        </div>
        <DraftNote
          draft={draft}
          names={{ title: t("Title"), project: t("Project"), day: t("Date"), time: t("Date") }}
        />
        <Problem error={error} />
        <DialogActions
          isBusy={isBusy}
          onCancel={() => {
            draft.discard();
            onClose();
          }}
          deletion={
            checkpoint === null
              ? undefined
              : { question: t("Delete this checkpoint?"), act: () => remove(checkpoint.id) }
          }
        />
      </form>
    </Dialog>
  );
}
