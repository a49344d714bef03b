import type { RowOf } from "@adiuva/client/database";
import { type FormEvent, useMemo, useState } from "react";
import { useContextualScope } from "../chat/ContextualChatProvider";
import { numberShown } from "../i18n/formats";
import { t } from "../i18n/translate";
import { Cards } from "../parts/Cards";
import { Dialog } from "../parts/Dialog";
import { DialogActions } from "../parts/DialogActions";
import { startOfDay } from "../parts/dates";
import { useDraft } from "../parts/draft";
import { EmptyState } from "../parts/EmptyState";
import { Field } from "../parts/Field";
import { NewButton } from "../parts/NewButton";
import { PageFrame } from "../parts/PageFrame";
import { Problem } from "../parts/Problem";
import { useProjects } from "../parts/projects";
import { useIsMounted } from "../parts/useIsMounted";
import { countOf } from "../parts/words";
import { useStore, useTask } from "../rpc/RpcProvider";
import { useTable } from "../rpc/tables";

const LINES = 4;
const LINES_OF_TITLE = 2;

export function ProjectsPage() {
  const [hasArchived, setArchived] = useState(false);
  const [isNew, setNew] = useState(false);
  const all = useProjects();
  const tasks = useTable("tasks");
  const projects = useMemo(
    () => all && (hasArchived ? all : all.filter(({ status }) => status !== "archived")),
    [all, hasArchived],
  );
  useContextualScope({ page: "projects-list", entityType: null });
  const counts = useMemo(() => tasks && countTasks(tasks, startOfDay(Date.now())), [tasks]);
  return (
    <PageFrame title={t("Projects")} actions={<NewButton name={t("New project")} onClick={() => setNew(true)} />}>
      {projects !== null && projects.length > 0 && (
        <Cards
          label={countOf("projects", projects.length)}
          items={projects}
          lines={projects.some(({ aiSummary }) => aiSummary !== null) ? LINES : LINES_OF_TITLE}
          cardOf={({ id, name, aiSummary }) => ({ href: `/projects/${id}`, title: name, text: aiSummary ?? "" })}
          facts={({ id, status }) => (
            <>
              <span className="pill">
                {counts === null ? "…" : t("{count} open", { count: numberShown(counts.get(id)?.open ?? 0) })}
              </span>
              <Overdue count={counts?.get(id)?.overdue ?? 0} />
              {status === "archived" && <span className="pill">{t("archived")}</span>}
            </>
          )}
        />
      )}
      {all?.some(({ status }) => status === "archived") && (
        <p className="more">
          <button type="button" className="button quiet" onClick={() => setArchived(!hasArchived)}>
            {hasArchived ? t("Hide archived projects") : t("Show archived projects, too")}
          </button>
        </p>
      )}
      {all?.length === 0 && <EmptyState line={t("No projects yet. Create one, or ask:")} />}
      {isNew && <NewProject onClose={() => setNew(false)} />}
    </PageFrame>
  );
}

function Overdue({ count }: { count: number }) {
  return (
    count > 0 && (
      <span className="pill overdue">{t("{count, plural, one {# overdue} other {# overdue}}", { count })}</span>
    )
  );
}

interface Counts {
  open: number;
  /** Open ones that were due before today. */
  overdue: number;
}

/** How many tasks each project has that are not done, by the project's id. */
function countTasks(tasks: readonly RowOf["tasks"][], today: number): ReadonlyMap<string, Counts> {
  const counts = new Map<string, Counts>();
  for (const { projectId, status, dueDate } of tasks) {
    if (projectId !== null && status !== "done") {
      const count = counts.get(projectId) ?? { open: 0, overdue: 0 };
      count.open += 1;
      count.overdue += dueDate !== null && dueDate < today ? 1 : 0;
      counts.set(projectId, count);
    }
  }
  return counts;
}

function NewProject({ onClose }: { onClose: () => void }) {
  const store = useStore();
  const { run, isBusy, error } = useTask();
  const isMounted = useIsMounted();
  const [name, setName] = useDraft("project.new");
  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (await run(() => store.insert("projects", { name: name.trim() }))) {
      setName("");
      if (isMounted.current) {
        onClose();
      }
    }
  };
  return (
    <Dialog title={t("New project")} onClose={onClose}>
      <form className="stack" onSubmit={(event) => void save(event)}>
        <Field name={t("Name")}>
          <input className="input" required value={name} onChange={(event) => setName(event.target.value)} />
        </Field>
        <Problem error={error} />
        <DialogActions
          isBusy={isBusy}
          onCancel={() => {
            setName("");
            onClose();
          }}
        />
      </form>
    </Dialog>
  );
}
