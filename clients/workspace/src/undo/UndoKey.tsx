/** Ctrl-Z outside text fields undoes the latest change, and says what it was; Ctrl-Shift-Z does it again. */

import type { Undone } from "@adiuva/client";
import { useCallback, useEffect, useRef, useState } from "react";
import { Link } from "wouter";
import { t } from "../i18n/translate";
import { isEditing } from "../keys/editing";
import type { TableName } from "../rpc/messages";
import { useStore } from "../rpc/RpcProvider";
import { type Announced, onAnnounced } from "./announced";
import { rowNamed } from "./words";

const SHOWN_MS = 8_000;

interface Notice extends Announced {
  /** The undo to undo again; null if nothing was undone. */
  readonly undo: string | null;
}

export function UndoKey() {
  const store = useStore();
  const [notice, setNotice] = useState<Notice | null>(null);
  /** The undos that can be undone with the keys, the latest last. */
  const undos = useRef<string[]>([]);
  const fail = useCallback(({ message }: Error) => setNotice({ text: message, undo: null }), []);
  const undo = useCallback(
    (undoing: Promise<Undone | null>) => {
      undoing.then((undone) => {
        undos.current.push(...(undone?.id == null ? [] : [undone.id]));
        setNotice(noticeOf(undone));
      }, fail);
    },
    [fail],
  );
  const redo = useCallback(
    (id: string) => {
      undos.current = undos.current.filter((each) => each !== id);
      store.undo({ call: id }, false).then((redone) => setNotice(noticeOfRedone(redone)), fail);
    },
    [store, fail],
  );
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (!isZ(event) || isEditing(event.target)) {
        return;
      }
      event.preventDefault();
      const latest = undos.current.at(-1);
      if (!event.shiftKey) {
        undo(store.undoLatest());
      } else if (latest === undefined) {
        setNotice({ text: t("There is nothing to redo."), undo: null });
      } else {
        redo(latest);
      }
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [store, undo, redo]);
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
                setNotice(null);
                redo(notice.undo as string);
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
                setNotice(null);
                undo(store.undo({ call: notice.entry as string }, false));
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

function isZ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return key.toLowerCase() === "z" && (ctrlKey || metaKey) && !altKey;
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
  const text = t(
    "{count, plural, =0 {Undone: {what}.} one {Undone: {what} and # more.} other {Undone: {what} and # more.}}",
    {
      count: others.length,
      what: nameOf(row),
    },
  );
  return { text, undo: undone.id };
}

function noticeOfRedone({ undone }: Undone): Notice {
  const [row, ...others] = undone;
  const text =
    row === undefined
      ? t("It was not redone, because of what was changed since.")
      : t("{count, plural, =0 {Redone: {what}.} one {Redone: {what} and # more.} other {Redone: {what} and # more.}}", {
          count: others.length,
          what: nameOf(row),
        });
  return { text, undo: null };
}

function nameOf({ table, before, after }: Undone["undone"][number]): string {
  return rowNamed(table as TableName, after ?? before);
}
