/** Exports all data of this browser to a file, and restores it. */
import { useRef, useState } from "react";
import { isBackup, unseal } from "../../backup/format";
import { t } from "../../i18n/translate";
import { save } from "../../parts/downloads";
import { FilesButton } from "../../parts/FilesButton";
import { Problem } from "../../parts/Problem";
import { isFocusLostOrIn } from "../../parts/useFocusInside";
import type { CopyContent } from "../../rpc/messages";
import { useStore, useTask } from "../../rpc/RpcProvider";
import { contentShown, fileName, isEmpty, madeShown, replacedShown } from "./copied";
import { Offer } from "./Offer";
import { Passphrase } from "./Passphrase";

interface Found {
  readonly file: Blob;
  readonly name: string;
  readonly summary: CopyContent;
}

export function Copies() {
  const store = useStore();
  const { run, isBusy, error } = useTask();
  const [said, setSaid] = useState("");
  const [found, setFound] = useState<Found | null>(null);
  /** An encrypted backup, whose passphrase is asked for. */
  const [sealed, setSealed] = useState<File | null>(null);
  const section = useRef<HTMLElement>(null);
  const opener = useRef<HTMLButtonElement>(null);

  /** `act` returns the message to show afterwards. */
  const work = async (doing: string, act: () => Promise<string>) => {
    let done = "";
    setSaid(doing);
    await run(async () => {
      done = await act();
    });
    setSaid(done);
  };
  const download = () =>
    work(t("Collecting it…"), async () => {
      const copy = await store.exportCopy();
      const name = fileName(copy);
      save(copy, name);
      return t("The browser saves it as {name}.", { name });
    });
  const choose = (file: File) =>
    work(t("Reading the file…"), async () => {
      setFound(null);
      const isSealed = await isBackup(file);
      setSealed(isSealed ? file : null);
      return isSealed ? "" : await look(file, file.name);
    });
  const open = (file: File, passphrase: string) =>
    work(t("Decrypting…"), async () => {
      const copy = await unseal(file, passphrase);
      setSealed(null);
      return await look(copy, file.name);
    });
  const look = async (file: Blob, name: string) => {
    const summary = await store.checkCopy(file);
    if (isEmpty(summary)) {
      return t("There is nothing in this copy.");
    }
    setFound({ file, name, summary });
    return "";
  };
  const restore = (file: Blob) =>
    work(t("Restoring…"), async () => {
      const summary = await store.restoreCopy(file);
      leave();
      return t("Restored: {content}.", { content: contentShown(summary) });
    });
  const leave = () => {
    setFound(null);
    setSealed(null);
    if (isFocusLostOrIn(section.current)) {
      opener.current?.focus();
    }
  };
  return (
    <section ref={section} className="section" aria-busy={isBusy}>
      <h2>{t("A copy")}</h2>
      <p className="muted">
        {t(
          "One file with all of it, conversations and pictures too. Anyone who has the file can read it. It can be restored here, in another browser and in another account. Marks of what is never shared stay with the account: set them in the other one first.",
        )}
      </p>
      <p className="row">
        <button type="button" className="button" disabled={isBusy} onClick={() => void download()}>
          {t("Download a copy")}
        </button>
        <FilesButton
          opener={opener}
          name={t("Restore from a copy…")}
          label={t("A copy to restore from")}
          accept=".json,application/json,.zip,application/zip,.adiuva-backup"
          isBusy={isBusy}
          onChosen={([file]) => file !== undefined && void choose(file)}
        />
      </p>
      {sealed !== null && (
        <Passphrase
          key={sealed.name}
          name={sealed.name}
          isBusy={isBusy}
          onGiven={(passphrase) => void open(sealed, passphrase)}
          onCancel={leave}
        />
      )}
      {found !== null && (
        <FoundCopy found={found} isBusy={isBusy} onYes={() => void restore(found.file)} onNo={leave} />
      )}
      <p className="small" role="status">
        {said}
      </p>
      <Problem error={error} />
    </section>
  );
}

function FoundCopy({
  found: { name, summary },
  isBusy,
  onYes,
  onNo,
}: {
  found: Found;
  isBusy: boolean;
  onYes: () => void;
  onNo: () => void;
}) {
  return (
    <Offer label={t("Restore from {name}?", { name })} yes={t("Restore it")} isBusy={isBusy} onYes={onYes} onNo={onNo}>
      <p className="entry">
        <strong>{contentShown(summary)}</strong>
        <span className="small muted">
          {name} · {madeShown(summary)}
        </span>
      </p>
      <p>{replacedShown(summary)}</p>
    </Offer>
  );
}
