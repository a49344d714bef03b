/** What was said about a task, by the person and by the assistant, and a place to say more. */
import type { RowOf } from "@adiuva/client/database";
import { type FormEvent, useId, useRef, useState } from "react";
import { useKeeper, useRows, useTask } from "../line/LineProvider";
import { momentShown } from "../parts/dates";
import { useDraft } from "../parts/draft";
import { Problem } from "../parts/Problem";
import { SureButton } from "../parts/SureButton";

type Comment = RowOf["taskComments"];

/** The offline assistant calls the person so, too. */
const MYSELF = "Me";
/** Of many, the latest so many, until one asks for the rest. */
const SHOWN = 20;

export function TaskComments({ taskId }: { taskId: string }) {
  const comments = useRows("taskComments", { taskId });
  const [isWhole, setWhole] = useState(false);
  const heading = useId();
  const input = useRef<HTMLTextAreaElement>(null);
  const focusInput = () => input.current?.focus();
  const shown = isWhole ? comments : comments?.slice(-SHOWN);
  const hidden = (comments?.length ?? 0) - (shown?.length ?? 0);
  return (
    <section className="comments" aria-labelledby={heading}>
      <h3 id={heading}>Comments</h3>
      {hidden > 0 && (
        <button type="button" className="button quiet small" onClick={() => setWhole(true)}>
          Show {hidden} earlier
        </button>
      )}
      {/* What is added is read out, whoever adds it. */}
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
  const keeper = useKeeper();
  const text = useId();
  return (
    <article className="comment" aria-labelledby={text}>
      <header>
        <strong>{author}</strong>
        <time className="muted" dateTime={new Date(createdAt).toISOString()}>
          {momentShown(createdAt)}
        </time>
        <SureButton
          isSmall
          isDangerous
          name="Delete"
          describedBy={text}
          question="Delete this comment?"
          yes="Yes, delete it"
          act={() => keeper.remove("taskComments", id)}
          onDone={onDeleted}
        />
      </header>
      <p id={text}>{content}</p>
    </article>
  );
}

interface CommentProps {
  readonly comment: Comment;
  /** The focus has to go somewhere then. */
  onDeleted(): void;
}

function NewComment({ taskId, input }: { taskId: string; input: React.RefObject<HTMLTextAreaElement | null> }) {
  const keeper = useKeeper();
  const { run, isBusy, error } = useTask();
  const [text, write] = useDraft(`comment.${taskId}`);
  const content = text.trim();
  const add = async (event: FormEvent) => {
    event.preventDefault();
    if (await run(() => keeper.insert("taskComments", { taskId, author: MYSELF, content }))) {
      write("");
      input.current?.focus();
    }
  };
  return (
    <form className="new-comment" onSubmit={(event) => void add(event)}>
      <textarea
        ref={input}
        className="input"
        rows={2}
        aria-label="New comment"
        placeholder="Write a comment"
        value={text}
        onChange={(event) => write(event.target.value)}
      />
      <button type="submit" className="button" disabled={isBusy || content === ""}>
        Add comment
      </button>
      {content !== "" && <p className="muted small">Not added yet. It stays here if you close this.</p>}
      <Problem error={error} />
    </form>
  );
}
