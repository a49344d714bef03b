/** A message, and an answer in progress. */
import type { ChatMessage } from "@adiuva/client/database";
import { memo, useMemo } from "react";
import { Block } from "../blocks/Block";
import { t } from "../i18n/translate";
import { Boundary } from "../parts/Boundary";
import { useSnapshot } from "../rpc/RpcProvider";
import { After } from "./After";
import { Markdown } from "./Markdown";
import { partsOf } from "./markdown_of";
import { type Live, outcomeOf, type Part, type Status } from "./parts";
import { TasksOfAnswerProvider, tasksIn } from "./tasks_of_answer";
import { UserMessage } from "./UserMessage";

export interface MessageProps {
  /** An answer in progress has no other choices. */
  readonly message: ChatMessage | Live;
  readonly isPinned?: boolean;
  /** Asks what led to this answer again, with the model of this name. */
  readonly onAskAgain?: ((model?: string) => void) | undefined;
  /** Asks this question in other words, in place of it and all that followed. */
  readonly onEdit?: ((text: string) => Promise<void>) | undefined;
}

/** Names it in its conversation. A finished answer has the name that it had in progress, so it is not drawn anew. */
export function keyOf(message: ChatMessage | Live): string {
  if (isLive(message)) {
    return answerKey(message.requestId);
  }
  const outcome = outcomeOf(message);
  return outcome === undefined ? message.id : answerKey(outcome.requestId);
}

const answerKey = (requestId: string) => `answer ${requestId}`;

export const Message = memo(
  function Message({ message, onEdit, ...choices }: MessageProps) {
    return (
      <Boundary of={message} instead={() => <Unreadable />}>
        {!isLive(message) && message.role === "user" ? (
          <UserMessage message={message} onEdit={onEdit} />
        ) : (
          <Answer message={message} {...choices} />
        )}
      </Boundary>
    );
  },
  // It only matters whether the user can ask again, not which function does it.
  (one, other) =>
    one.message === other.message &&
    one.isPinned === other.isPinned &&
    (one.onEdit === undefined) === (other.onEdit === undefined) &&
    (one.onAskAgain === undefined) === (other.onAskAgain === undefined),
);

function isLive(message: ChatMessage | Live): message is Live {
  return "requestId" in message;
}

/** A message that another program wrote, as in a copy that was edited. */
function Unreadable() {
  return <li className="message assistant muted small">{t("This message could not be shown.")}</li>;
}

function Answer({ message, ...choices }: Omit<MessageProps, "onEdit">) {
  return (
    <li className="message assistant" aria-busy={isLive(message) || undefined}>
      <span className="unseen">Adiuva: </span>
      <Parts parts={isLive(message) ? message.parts : partsOf(message)} />
      {isLive(message) ? <Progress live={message} /> : <Ending message={message} {...choices} />}
    </li>
  );
}

function Ending({
  message,
  isPinned = false,
  onAskAgain,
}: Omit<MessageProps, "message" | "onEdit"> & { message: ChatMessage }) {
  const outcome = outcomeOf(message);
  return outcome && <After message={message} outcome={outcome} isPinned={isPinned} onAskAgain={onAskAgain} />;
}

function Progress({ live }: { live: Live }) {
  const { connection } = useSnapshot();
  if (connection.at === "online") {
    return live.status !== null && <p className="status">{sentenceOf(live.status)}</p>;
  }
  return (
    <p className="status waiting">
      {live.parts.length === 0
        ? t("Waiting: this is sent when the connection is back.")
        : t("Waiting: the answer goes on when the connection is back.")}
    </p>
  );
}

export function Parts({ parts }: { parts: readonly Part[] }) {
  const tasks = useMemo(() => tasksIn(parts), [parts]);
  return (
    <TasksOfAnswerProvider value={tasks}>
      <div className="parts">
        {parts.map((part, index) =>
          part.type === "text" ? (
            // A space at the end, as between two pieces, shows nothing.
            <Markdown key={index} text={part.text.trimEnd()} />
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
