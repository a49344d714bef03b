/** The chat, used everywhere: messages, the answer in progress, and the text field. */
import type { ChatMessage } from "@adiuva/client/database";
import { type ReactNode, type UIEvent, useLayoutEffect, useRef } from "react";
import { Boundary } from "../parts/Boundary";
import { useSnapshot } from "../rpc/RpcProvider";
import { Composer } from "./Composer";
import { ConnectionStatus } from "./ConnectionStatus";
import { Jobs } from "./Jobs";
import { LiveMessage, Message } from "./Message";
import { useShows } from "./OpenQuestions";
import { type Live, outcomeOf } from "./parts";
import { QuestionCard } from "./QuestionCard";
import { cardsOf } from "./questions";

/** If the user has scrolled up further than this from the end, in pixels, the view stays there. */
const NEAR_END_PX = 80;

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
  onSend(message: string): Promise<void>;
  onStop(): void;
  readEarlier?(): void;
}

export function ChatSurface(props: ChatSurfaceProps) {
  const { messages, earlier = 0, live = [], isStreaming, variant, problem = "", onSend, onStop } = props;
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
  const { scroller, onScroll, stayHere } = useScrolling(props);
  const isEmpty = messages.length === 0 && live.length === 0 && !props.isOpening;
  return (
    <section className={`chat ${variant}`} aria-label="Conversation">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className="scroller" ref={scroller} onScroll={onScroll} tabIndex={0} aria-label="Messages">
        {isEmpty && <Welcome {...props} />}
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
              Show earlier messages ({earlier})
            </button>
          </p>
        )}
        <ol className="thread">
          {messages.map((message, index, shown) => (
            <Boundary key={message.id} of={message} instead={() => <Unreadable />}>
              <Message
                message={message}
                onAskAgain={
                  index === shown.length - 1 && !isStreaming && isDecided ? askAgain(messages, onSend) : undefined
                }
              />
            </Boundary>
          ))}
          {live.map((each) => (
            <LiveMessage key={each.requestId} live={each} />
          ))}
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
        <p className="unseen" role="status">
          {isStreaming ? "Adiuva is writing." : messages.at(-1)?.role === "assistant" ? "The answer is complete." : ""}
        </p>
      </section>
      <div className="foot">
        <ConnectionStatus />
        <p className={notice === null ? "unseen" : "line"} role="status">
          {notice}
        </p>
        {problem !== "" && (
          <p className="line" role="alert">
            {problem}
          </p>
        )}
        <Composer onSend={onSend} onStop={onStop} isStreaming={isStreaming} />
      </div>
    </section>
  );
}

/** A message that another program wrote, as in a copy that was edited. */
function Unreadable() {
  return <li className="message assistant muted small">This message could not be shown.</li>;
}

function Welcome({ welcome, suggestions = [], onSend }: ChatSurfaceProps) {
  return (
    <div className="welcome">
      {welcome ?? <h2>What would you like to know, or have done?</h2>}
      <ul className="examples">
        {suggestions.map((suggestion) => (
          <li key={suggestion}>
            <button type="button" className="button" onClick={() => void onSend(suggestion).catch(() => undefined)}>
              {suggestion}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

function askAgain(messages: readonly ChatMessage[], onSend: (message: string) => Promise<void>) {
  const last = messages.findLast(({ role }) => role === "user");
  return last && (() => void onSend(last.content).catch(() => undefined));
}

/** Follows the end of the conversation, unless the user has scrolled up; then the visible part stays in place. */
function useScrolling({ messages, live }: ChatSurfaceProps) {
  const scroller = useRef<HTMLElement>(null);
  const isAtEnd = useRef(true);
  const heightBefore = useRef<number | null>(null);
  const onScroll = ({ currentTarget: { scrollHeight, scrollTop, clientHeight } }: UIEvent) => {
    isAtEnd.current = scrollHeight - scrollTop - clientHeight < NEAR_END_PX;
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: anything that is drawn again moves the end
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) {
      return;
    }
    if (heightBefore.current !== null) {
      element.scrollTop += element.scrollHeight - heightBefore.current;
      heightBefore.current = null;
    } else if (isAtEnd.current) {
      element.scrollTop = element.scrollHeight;
    }
  }, [messages, live]);
  const stayHere = () => {
    heightBefore.current = scroller.current?.scrollHeight ?? null;
  };
  return { scroller, onScroll, stayHere };
}
