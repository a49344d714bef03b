/** Ctrl-Z outside text fields undoes the latest change, and says what it was. */

import type { Undone } from "@adiuva/client";
import { useEffect, useState } from "react";
import { Link } from "wouter";
import { t } from "../i18n/translate";
import { isEditing } from "../keys/editing";
import type { TableName } from "../rpc/messages";
import { useStore } from "../rpc/RpcProvider";
import { type Announced, onAnnounced } from "./announced";
import { useUndo } from "./useUndo";
import { rowNamed } from "./words";

const SHOWN_MS = 8_000;

interface Notice extends Announced {
  /** The undo to undo again; null if nothing was undone. */
  readonly undo: string | null;
}

export function UndoKey() {
  const store = useStore();
  const { undo, redo } = useUndo();
  const [notice, setNotice] = useState<Notice | null>(null);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (isUndo(event) && !isEditing(event.target)) {
        event.preventDefault();
        store.undoLatest().then(
          (undone) => setNotice(noticeOf(undone)),
          (problem: Error) => setNotice({ text: problem.message, undo: null }),
        );
      }
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [store]);
  useEffect(() => onAnnounced((announced) => setNotice({ ...announced, undo: null })), []);
  useEffect(() => {
    if (notice === null) {
      return undefined;
    }
    const timer = setTimeout(() => setNotice(null), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [notice]);
  return (
    <div className={notice === null ? "unseen" : "undo-notice"} role="status">
      {notice !== null && (
        <>
          {notice.text}
          {notice.undo !== null && (
            <button
              type="button"
              className="button small"
              onClick={() => {
                redo([notice.undo as string]);
                setNotice(null);
              }}
            >
              {t("Redo")}
            </button>
          )}
          {notice.entry !== undefined && (
            <button
              type="button"
              className="button small"
              onClick={() => {
                undo({ call: notice.entry as string });
                setNotice(null);
              }}
            >
              {t("Undo")}
            </button>
          )}
          {notice.place !== undefined && <Link href={notice.place}>{t("Open it")}</Link>}
          <Link href="/history">{t("Show history")}</Link>
        </>
      )}
    </div>
  );
}

function isUndo({ key, ctrlKey, metaKey, shiftKey, altKey }: KeyboardEvent): boolean {
  return key.toLowerCase() === "z" && (ctrlKey || metaKey) && !shiftKey && !altKey;
}

function noticeOf(undone: Undone | null): Notice {
  if (undone === null) {
    return { text: t("There is nothing to undo."), undo: null };
  }
  const [row, ...others] = undone.undone;
  if (row === undefined) {
    const isInTheWay = undone.conflicts.length > 0;
    return {
      text: isInTheWay
        ? t("The latest change was not undone, because of what was changed since.")
        : t("The latest change was not undone."),
      undo: null,
    };
  }
  const what = rowNamed(row.table as TableName, row.after ?? row.before);
  const text = t(
    "{count, plural, =0 {Undone: {what}.} one {Undone: {what} and # more.} other {Undone: {what} and # more.}}",
    {
      count: others.length,
      what,
    },
  );
  return { text, undo: undone.id };
}
