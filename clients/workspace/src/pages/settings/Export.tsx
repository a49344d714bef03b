/** All rows as files that other programs read. */
import { useState } from "react";
import { msg, t } from "../../i18n/translate";
import type { Form } from "../../moving/export";
import { dayField } from "../../parts/dates";
import { save } from "../../parts/downloads";
import { folderPicker, writeInto } from "../../parts/folders";
import { Problem } from "../../parts/Problem";
import { useStore, useTask } from "../../rpc/RpcProvider";

const FORMS: readonly (readonly [form: Form, name: string, hint: string, ending: string])[] = [
  [
    "markdown",
    msg("Markdown"),
    msg("A folder for each project, with its tasks, dates, notes and their pictures, as Obsidian reads it."),
    "markdown.zip",
  ],
  ["csv", msg("CSV"), msg("A table for each kind of row, with all columns, for spreadsheets."), "csv.zip"],
  ["calendar", msg("ICS"), msg("Tasks and dates for calendars, without comments and notes."), "ics"],
];

export function Export() {
  const store = useStore();
  const { run, isBusy, error } = useTask();
  const [said, setSaid] = useState("");
  const pick = folderPicker();
  const work = async (act: () => Promise<string>) => {
    let done = "";
    setSaid(t("Collecting it…"));
    await run(async () => {
      done = await act();
    });
    setSaid(done);
  };
  const download = async (form: Form, ending: string) => {
    const name = `adiuva-${dayField(Date.now())}.${ending}`;
    save(await store.exportFile(form), name);
    return t("The browser saves it as {name}.", { name });
  };
  const write = async (form: Form) => {
    const folder = await pick?.("adiuva-export");
    if (folder === undefined) {
      return "";
    }
    const files = await store.exportFiles(form);
    const name = `adiuva-${dayField(Date.now())}`;
    const inner = await folder.getDirectoryHandle(name, { create: true });
    for (const { path, content } of files) {
      await writeInto(inner, path, content);
    }
    return t("{count, plural, one {# file is} other {# files are}} in the folder {name}.", {
      count: files.length,
      name,
    });
  };
  return (
    <section className="section" aria-busy={isBusy}>
      <h2>{t("Export")}</h2>
      <p className="muted">
        {t("For other programs. All of it can be imported again, here too. Anyone who has the files can read them.")}
      </p>
      <ul className="forms">
        {FORMS.map(([form, name, hint, ending]) => (
          <li key={form}>
            <p className="entry grows">
              <strong>{t(name)}</strong>
              <span className="small muted">{t(hint)}</span>
            </p>
            <button
              type="button"
              className="button"
              disabled={isBusy}
              aria-label={t("Download {form}", { form: t(name) })}
              onClick={() => void work(() => download(form, ending))}
            >
              {t("Download")}
            </button>
            {form === "markdown" && pick !== undefined && (
              <button type="button" className="button" disabled={isBusy} onClick={() => void work(() => write(form))}>
                {t("Into a folder…")}
              </button>
            )}
          </li>
        ))}
      </ul>
      <p className="small muted">{t("JSON, with conversations and pictures, is the copy above.")}</p>
      <p className="small" role="status">
        {said}
      </p>
      <Problem error={error} />
    </section>
  );
}
