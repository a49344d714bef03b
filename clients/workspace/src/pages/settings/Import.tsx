/** Brings data of other programs: shows what it would be, and writes it as one change. */
import { useEffect, useRef, useState } from "react";
import { Link } from "wouter";
import { useLanguage } from "../../i18n/language";
import { T, t } from "../../i18n/translate";
import { FilesButton } from "../../parts/FilesButton";
import { Problem } from "../../parts/Problem";
import { isFocusLostOrIn } from "../../parts/useFocusInside";
import type { Imported, ImportPreview } from "../../rpc/messages";
import { useRpc, useStore, useTask } from "../../rpc/RpcProvider";
import { ImportFound } from "./ImportFound";
import { rowsShown } from "./moved";

export function Import() {
  const store = useStore();
  const language = useLanguage();
  const { run, isBusy, error } = useTask();
  const [doing, setDoing] = useState("");
  const [found, setFound] = useState<ImportPreview | null>(null);
  const [done, setDone] = useState<Imported | null>(null);
  const section = useRef<HTMLElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const work = async (what: string, act: () => Promise<void>) => {
    setDoing(what);
    await run(act);
    setDoing("");
  };
  const read = (chosen: readonly File[]) =>
    work(t("Reading the files…"), async () => {
      const files = chosen.map((file) => ({ path: file.webkitRelativePath || file.name, content: file }));
      setDone(null);
      setFound(null);
      setFound(await store.readImport(files, words(), language === "it" ? "it" : "en"));
    });
  const write = (id: string) =>
    work(t("Importing…"), async () => {
      setDone(await store.runImport(id));
      leave();
    });
  const leave = () => {
    setFound(null);
    if (isFocusLostOrIn(section.current)) {
      opener.current?.focus();
    }
  };
  return (
    <section ref={section} className="section" aria-busy={isBusy}>
      <h2>{t("Import")}</h2>
      <p className="muted">
        {t(
          "Bring what you have in other programs: Todoist projects as CSV, Notion exported as Markdown and CSV, an Obsidian vault or any folder of Markdown, calendars as ICS, and exports of Adiuva. You see first what would be imported.",
        )}
      </p>
      <p className="row">
        <FilesButton
          isMultiple
          opener={opener}
          name={t("Choose files…")}
          isBusy={isBusy}
          onChosen={(files) => void read(files)}
        />
        <FilesButton
          isMultiple
          isFolder
          name={t("Choose a folder…")}
          isBusy={isBusy}
          onChosen={(files) => void read(files)}
        />
      </p>
      {doing !== "" && <Progress doing={doing} />}
      {found !== null && <ImportFound found={found} isBusy={isBusy} onYes={() => void write(found.id)} onNo={leave} />}
      {done !== null && <ImportDone key={done.entry} done={done} />}
      <Problem error={error} />
    </section>
  );
}

/** What the import writes into descriptions. */
function words() {
  return {
    date: t("Date"),
    deadline: t("Deadline"),
    partOf: t("Part of"),
    repeats: t("Repeats"),
    section: t("Section"),
  };
}

function Progress({ doing }: { doing: string }) {
  const rpc = useRpc();
  const [{ done, total }, setProgress] = useState({ done: 0, total: 0 });
  useEffect(
    () => rpc.onEvent((event) => event.type === "progress" && event.work === "importing" && setProgress(event)),
    [rpc],
  );
  return (
    <p className="row small">
      <span role="status">{doing}</span>
      {total > 0 && <progress value={done} max={total} aria-label={doing} />}
    </p>
  );
}

function ImportDone({ done: { counts, entry } }: { done: Imported }) {
  const store = useStore();
  const { run, isBusy, error } = useTask();
  const [isUndone, setUndone] = useState(false);
  const undo = async () => {
    const { conflicts } = await store.undo({ call: entry });
    if (conflicts.length > 0) {
      throw new Error(t("Some of it was changed since, so nothing was undone. History shows it."));
    }
    setUndone(true);
  };
  return (
    <>
      <p className="row small">
        <span role="status">
          {isUndone ? t("The import is undone.") : t("Imported: {rows}.", { rows: rowsShown(counts) })}
        </span>
        {!isUndone && (
          <button type="button" className="button small" disabled={isBusy} onClick={() => void run(undo)}>
            {t("Undo the import")}
          </button>
        )}
      </p>
      <p className="small muted">
        <T text="It is in the <0>history</0>." elements={[<Link key="history" href="/history" />]} />
      </p>
      <Problem error={error} />
    </>
  );
}
