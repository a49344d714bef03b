/** The comments on a task, of the user and of the assistant, and a field for a new one. */

import type { RowOf } from "@adiuva/client/database";
import { type FormEvent, useId, useRef, useState } from "react";
import { msg, t } from "../i18n/translate";
import { ConfirmButton } from "../parts/ConfirmButton";
import { momentShown } from "../parts/dates";
import { useDraft } from "../parts/draft";
import { Problem } from "../parts/Problem";
import { useRows, useStore, useTask } from "../rpc/RpcProvider";

type Comment = RowOf["taskComments"];

/** The offline assistant uses the same name for the user. */
const MYSELF = msg("Me");
/** How many of the latest comments are shown until the user asks for the rest. */
const SHOWN = 20;

export function TaskComments({ taskId }: { taskId: string }) {
  const comments = useRows("taskComments", { taskId });
  const [isWhole, setWhole] = useState(false);
  const heading = useId();
  const input = useRef<HTMLTextAreaElement>(null);
  const focusInput = (isFocusHere: boolean) => isFocusHere && input.current?.focus();
  const shown = isWhole ? comments : comments?.slice(-SHOWN);
  const hidden = (comments?.length ?? 0) - (shown?.length ?? 0);
  return (
    <section className="comments" aria-labelledby={heading}>
      <h3 id={heading}>{t("Comments")}</h3>
      {hidden > 0 && (
        <button type="button" className="button quiet small" onClick={() => setWhole(true)}>
          {t("{count, plural, one {Show # earlier} other {Show # earlier}}", { count: hidden })}
        </button>
      )}
      {/* Screen readers announce new comments, including those of the assistant. */}
      <div role="log" aria-labelledby={heading}>
        <ol>
          {shown?.map((comment) => (
            <li key={comment.id}>
              <CommentShown comment={comment} onDeleted={focusInput} />
            </li>
          ))}
        </ol>
      </div>
      <NewComment taskId={taskId} input={input} />
    </section>
  );
}

function CommentShown({ comment: { id, author, content, createdAt }, onDeleted }: CommentProps) {
  const store = useStore();
  const text = useId();
  return (
    <article className="comment" aria-labelledby={text}>
      <header>
        <strong>{author === MYSELF ? t(MYSELF) : author}</strong>
        <time className="muted" dateTime={new Date(createdAt).toISOString()}>
          {momentShown(createdAt)}
        </time>
        <ConfirmButton
          isSmall
          isDangerous
          name={t("Delete")}
          describedBy={text}
          question={t("Delete this comment?")}
          yes={t("Yes, delete it")}
          act={() => store.remove("taskComments", id)}
          onDone={onDeleted}
        />
      </header>
      <p id={text}>{content}</p>
    </article>
  );
}

interface CommentProps {
  readonly comment: Comment;
  /** Moves the focus after a comment was deleted, if it is where that was. */
  onDeleted(isFocusHere: boolean): void;
}

function NewComment({ taskId, input }: { taskId: string; input: React.RefObject<HTMLTextAreaElement | null> }) {
  const store = useStore();
  const { run, isBusy, error } = useTask();
  const [text, write, restore] = useDraft(`comment.${taskId}`);
  const content = text.trim();
  const add = async (event: FormEvent) => {
    event.preventDefault();
    // At once, so that the next comment can be begun while this one is stored.
    write("");
    input.current?.focus();
    if (!(await run(() => store.insert("taskComments", { taskId, author: MYSELF, content })))) {
      restore(content);
    }
  };
  return (
    <form className="new-comment" onSubmit={(event) => void add(event)}>
      <textarea
        ref={input}
        className="input"
        rows={2}
        aria-label={t("New comment")}
        placeholder={t("Write a comment")}
        value={text}
        onChange={(event) => write(event.target.value)}
      />
      <button type="submit" className="button" disabled={isBusy || content === ""}>
        {t("Add comment")}
      </button>
      {content !== "" && <p className="muted small">{t("Not added yet. It stays here if you close this.")}</p>}
      <Problem error={error} />
    </form>
  );
}
