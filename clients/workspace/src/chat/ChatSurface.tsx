/** The chat, used everywhere: messages, the answer in progress, and the text field. */

import type { ChatMessage } from "@adiuva/client/database";
import { type ReactNode, useRef } from "react";
import { withoutIsolates } from "../i18n/isolated";
import { t } from "../i18n/translate";
import { Announcement } from "../parts/Announcement";
import { excerptOf } from "../parts/excerpt";
import { Icon } from "../parts/Icon";
import { useSnapshot } from "../rpc/RpcProvider";
import { Composer } from "./Composer";
import { ConnectionStatus } from "./ConnectionStatus";
import { Jobs } from "./Jobs";
import { keyOf, Message } from "./Message";
import { partsOf } from "./markdown_of";
import { useShows } from "./OpenQuestions";
import { type Live, outcomeOf, textOf } from "./parts";
import { QuestionCard } from "./QuestionCard";
import { askedShown, cardsOf } from "./questions";
import type { Options } from "./useChatStream";
import { useFieldFocus } from "./useFieldFocus";
import { usePinned } from "./usePinned";
import { useScrolling } from "./useScrolling";

export interface ChatSurfaceProps {
  readonly messages: readonly ChatMessage[];
  /** How many earlier ones there are. */
  readonly earlier?: number;
  readonly live?: readonly Live[];
  readonly sessionId: string | null;
  readonly isStreaming: boolean;
  readonly isOpening?: boolean;
  readonly variant: "home" | "contextual";
  readonly problem?: string;
  /** Shown in an empty conversation, with suggestions. */
  readonly welcome?: ReactNode;
  readonly suggestions?: readonly string[];
  onSend(message: string, options?: Omit<Options, "scope">): Promise<void>;
  onStop(): void;
  readEarlier?(): void;
}

export function ChatSurface(props: ChatSurfaceProps) {
  const { messages, earlier = 0, live = [], isStreaming, variant, problem = "", onStop } = props;
  const { questions, notice } = useSnapshot();
  // A job asks after its answer has ended; the message that started it has the request's id.
  const mine = new Set([...live.map(({ requestId }) => requestId), ...messages.map(({ id }) => id)]);
  const asked = questions.filter(({ request_id }) => mine.has(request_id));
  useShows(asked.map(({ id }) => id));
  const brokenOff = new Set(
    messages.map(outcomeOf).flatMap((end) => (end?.finishReason === "error" ? end.requestId : [])),
  );
  // While the answer's question is still open, asking again would ask it twice.
  const isDecided = !asked.some(({ request_id }) => brokenOff.has(request_id));
  const isEmpty = messages.length === 0 && live.length === 0 && !props.isOpening;
  const pinned = new Set(usePinned()?.map(({ id }) => id));
  const { scroller, content, foot, onScroll, isAway, toEnd, stayHere } = useScrolling(isEmpty);
  const onSend: ChatSurfaceProps["onSend"] = (message, options) => {
    toEnd();
    return props.onSend(message, options);
  };
  const canAsk = !isStreaming && isDecided;
  const chat = useRef<HTMLElement>(null);
  useFieldFocus(chat);
  return (
    <section ref={chat} className={`chat ${variant}`} aria-label={t("Conversation")}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className="scroller" ref={scroller} onScroll={onScroll} tabIndex={0} aria-label={t("Messages")}>
        <div ref={content}>
          {isEmpty && <Welcome {...props} onSend={onSend} />}
          {earlier > 0 && (
            <p className="row">
              <button
                type="button"
                className="button quiet"
                onClick={() => {
                  stayHere();
                  props.readEarlier?.();
                }}
              >
                {t("Show earlier messages ({count})", { count: earlier })}
              </button>
            </p>
          )}
          <ol className="thread">
            {[
              ...messages.map((message, index, shown) => (
                <Message
                  key={keyOf(message)}
                  message={message}
                  isPinned={pinned.has(message.id)}
                  onAskAgain={index === shown.length - 1 && canAsk ? askAgain(messages, onSend) : undefined}
                  onEdit={message.role === "user" && canAsk ? (text) => onSend(text, { again: message.id }) : undefined}
                />
              )),
              ...live.map((each) => <Message key={keyOf(each)} message={each} />),
            ]}
            {cardsOf(asked).map((card) => (
              <li key={card.id}>
                <QuestionCard
                  card={card}
                  hasBrokenOff={card.requests.some(({ request_id }) => brokenOff.has(request_id))}
                />
              </li>
            ))}
          </ol>
          <Jobs sessionId={props.sessionId} />
          <Announcement
            text={
              asked.length > 0 ? askedShown(asked) : isStreaming ? t("Adiuva is writing.") : answerSaid(messages.at(-1))
            }
          />
        </div>
      </section>
      <div className="foot" ref={foot}>
        {isAway && (
          <button type="button" className="button to-end" aria-label={t("To the end")} onClick={toEnd}>
            <Icon name="down" />
          </button>
        )}
        <ConnectionStatus />
        <p className={notice === null ? "unseen" : "line"} role="status">
          {notice !== null && t(notice)}
        </p>
        {problem !== "" && (
          <p className="line" role="alert">
            {problem}
          </p>
        )}
        <Composer draft={variant} onSend={onSend} onStop={onStop} isStreaming={isStreaming} />
      </div>
    </section>
  );
}

/** An answer for a screen reader: its beginning, or that there is one which has to be looked at. */
function answerSaid(message: ChatMessage | undefined): string {
  if (message?.role !== "assistant") {
    return "";
  }
  const words = excerptOf(textOf(partsOf(message)));
  return words === "" ? t("The answer is complete.") : `Adiuva: ${words}`;
}

function Welcome({ welcome, suggestions = [], onSend }: ChatSurfaceProps) {
  return (
    <div className="welcome">
      {welcome ?? <h2>{t("What would you like to know, or have done?")}</h2>}
      <ul className="examples">
        {suggestions.map((suggestion) => (
          <li key={suggestion}>
            <button
              type="button"
              className="button"
              onClick={() => void onSend(withoutIsolates(suggestion)).catch(() => undefined)}
            >
              {suggestion}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

function askAgain(messages: readonly ChatMessage[], onSend: ChatSurfaceProps["onSend"]) {
  const last = messages.findLast(({ role }) => role === "user");
  return (
    last &&
    ((model?: string) =>
      void onSend(last.content, { again: last.id, ...(model === undefined ? {} : { model }) }).catch(() => undefined))
  );
}
