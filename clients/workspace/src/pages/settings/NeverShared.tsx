/** Marks tables and projects that are never sent to a model. */

import type { RowOf } from "@adiuva/client/database";
import { t } from "../../i18n/translate";
import { useProjects } from "../../parts/projects";
import { TABLES } from "../../parts/words";
import { SHARING } from "../../rpc/messages";
import { Answered, Saved } from "./Answered";
import { Mark } from "./Mark";
import { type Marks, markProject, markTable, UNMARKED } from "./sharing";
import { type Setting, useSetting } from "./useSetting";

export function NeverShared() {
  const setting = useSetting<Marks>(SHARING, UNMARKED);
  return (
    <section className="section">
      <h2>{t("Never shared with a model")}</h2>
      <p className="muted">
        {t(
          "What you mark is left out of every request to a model, from any program. You still see it here, and answers say how much was left out. What a model was sent before is not called back.",
        )}
      </p>
      {setting.shown.failure?.code === "unreadable" && <p className="alert">{setting.shown.failure.message}</p>}
      <Answered rest={setting.shown}>{(marks) => <Choices marks={marks} setting={setting} />}</Answered>
      <Saved setting={setting} />
    </section>
  );
}

function Choices({ marks, setting }: { marks: Marks; setting: Setting<Marks> }) {
  const projects = useProjects();
  return (
    <>
      <fieldset className="choices">
        <legend>{t("Whole tables")}</legend>
        {TABLES.map(([table, name, hint]) => (
          <Mark
            key={table}
            name={t(name)}
            hint={t(hint)}
            isMarked={marks.tables.includes(table)}
            onMark={(isMarked) => setting.change(markTable(table, isMarked))}
          />
        ))}
      </fieldset>
      <fieldset className="choices">
        <legend>{t("Projects, with all that belongs to them")}</legend>
        {projects !== null && projects.length === 0 && <p className="muted">{t("There are no projects yet.")}</p>}
        {projects?.map(({ id, name, status }) => (
          <Mark
            key={id}
            name={name}
            hint={status === "archived" ? t("Archived") : ""}
            isMarked={marks.projects.includes(id)}
            onMark={(isMarked) => setting.change(markProject(id, isMarked))}
          />
        ))}
        {projects !== null &&
          strangers(marks, projects).map((id) => (
            <Mark
              key={id}
              name={t("A project that is not in this browser")}
              hint={id}
              isMarked
              onMark={() => setting.change(markProject(id, false))}
            />
          ))}
      </fieldset>
    </>
  );
}

/** Marked on another device, or deleted here. */
function strangers(marks: Marks, projects: readonly RowOf["projects"][]): readonly string[] {
  const known = new Set(projects.map(({ id }) => id));
  return marks.projects.filter((id) => !known.has(id));
}
