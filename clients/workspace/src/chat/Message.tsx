/** A message, and an answer in progress. */
import type { ChatMessage } from "@adiuva/client/database";
import { memo, useMemo } from "react";
import { Block } from "../blocks/Block";
import { t } from "../i18n/translate";
import { useSnapshot } from "../rpc/RpcProvider";
import { After } from "./After";
import { Markdown } from "./Markdown";
import { partsOf } from "./markdown_of";
import { type Live, outcomeOf, type Part, type Status } from "./parts";
import { TasksOfAnswerProvider, tasksIn } from "./tasks_of_answer";
import { UserMessage } from "./UserMessage";

export interface MessageProps {
  readonly message: ChatMessage;
  readonly isPinned?: boolean;
  /** Asks what led to this answer again, with the model of this name. */
  readonly onAskAgain?: ((model?: string) => void) | undefined;
  /** Asks this question in other words, in place of it and all that followed. */
  readonly onEdit?: ((text: string) => void) | undefined;
}

export const Message = memo(
  function Message({ message, isPinned = false, onAskAgain, onEdit }: MessageProps) {
    if (message.role === "user") {
      return <UserMessage message={message} onEdit={onEdit} />;
    }
    const outcome = outcomeOf(message);
    return (
      <li className="message assistant">
        <span className="unseen">Adiuva: </span>
        <Parts parts={partsOf(message)} />
        {outcome && <After message={message} outcome={outcome} isPinned={isPinned} onAskAgain={onAskAgain} />}
      </li>
    );
  },
  // It only matters whether the user can ask again, not which function does it.
  (one, other) =>
    one.message === other.message &&
    one.isPinned === other.isPinned &&
    (one.onEdit === undefined) === (other.onEdit === undefined) &&
    (one.onAskAgain === undefined) === (other.onAskAgain === undefined),
);

export function LiveMessage({ live }: { live: Live }) {
  const { connection } = useSnapshot();
  return (
    <li className="message assistant" aria-busy="true">
      <span className="unseen">Adiuva: </span>
      <Parts parts={live.parts} />
      {connection.at === "online" ? (
        live.status !== null && <p className="status">{sentenceOf(live.status)}</p>
      ) : (
        <p className="status waiting">
          {live.parts.length === 0
            ? t("Waiting: this is sent when the connection is back.")
            : t("Waiting: the answer goes on when the connection is back.")}
        </p>
      )}
    </li>
  );
}

export function Parts({ parts }: { parts: readonly Part[] }) {
  const tasks = useMemo(() => tasksIn(parts), [parts]);
  return (
    <TasksOfAnswerProvider value={tasks}>
      <div className="parts">
        {parts.map((part, index) =>
          part.type === "text" ? (
            <Markdown key={index} text={part.text} />
          ) : (
            <Block key={index} blockType={part.blockType} data={part.data} />
          ),
        )}
      </div>
    </TasksOfAnswerProvider>
  );
}

function sentenceOf({ state, label }: Status): string {
  const fallback = {
    thinking: t("Thinking…"),
    calling_tool: t("Looking it up…"),
    waiting_approval: t("Waiting for your answer…"),
    queued: t("Waiting for the previous answer…"),
  }[state];
  return label ?? fallback;
}
