/** Home: the chat over the full width, with the day at a glance, suggestions and the brief. */
import { useMemo, useRef } from "react";
import { currentLanguage } from "../i18n/language";
import { msg, t } from "../i18n/translate";
import { Elsewhere } from "../parts/Elsewhere";
import { NewButton } from "../parts/NewButton";
import { Problem } from "../parts/Problem";
import { focusPage } from "../parts/useFocusInside";
import { useIsWide } from "../parts/useIsWide";
import { useRows, useStore, useTask } from "../rpc/RpcProvider";
import { ChatList } from "./ChatList";
import { ChatSurface } from "./ChatSurface";
import { Day, DayLine } from "./Day";
import { EarlierChats } from "./EarlierChats";
import { PinnedAnswers } from "./PinnedAnswers";
import { useAskedChat } from "./useAskedChat";
import { useChatStream } from "./useChatStream";
import { useFieldFocus } from "./useFieldFocus";

const SUGGESTIONS = [
  msg("What should I do next?"),
  msg("How many tasks by status, as a pie chart?"),
  msg("What’s overdue?"),
];
/** Wide enough for the list of chats beside the chat. */
const PANE_PX = 1200;

export function AIChatPanel() {
  const stream = useChatStream("home");
  const { sessionId, openChat, newChat } = stream;
  useAskedChat("home", openChat);
  const home = useMemo(() => ({ sessionId, newChat }), [sessionId, newChat]);
  const hasPane = useIsWide(PANE_PX);
  const brief = () => void stream.send(t("My daily brief, please."), { brief: { of: "day" } }).catch(() => undefined);
  // “Brief me” is disabled while an answer is written.
  const chat = useRef<HTMLDivElement>(null);
  useFieldFocus(chat);
  return (
    <div className="home">
      <div ref={chat} className="home-chat">
        <div className="home-bar">
          <DayLine onShow={newChat} />
          {!hasPane && <EarlierChats home={home} />}
          <button type="button" className="button" disabled={stream.isStreaming} onClick={brief}>
            {t("Brief me")}
          </button>
          <NewButton className="button" name={t("New chat")} onClick={newChat} />
        </div>
        <ChatSurface
          {...stream}
          variant="home"
          onSend={(message, options) => stream.send(message, options)}
          onStop={stream.stop}
          welcome={<Greeting />}
          suggestions={SUGGESTIONS.map((suggestion) => t(suggestion))}
        />
      </div>
      {hasPane && (
        <aside className="home-pane" aria-label={t("Earlier chats")}>
          <ChatList home={home} />
        </aside>
      )}
    </div>
  );
}

function Greeting() {
  const store = useStore();
  const { run, isBusy, error } = useTask();
  const tasks = useRows("tasks", {}, 1);
  const projects = useRows("projects", {}, 1);
  const isEmpty = tasks?.length === 0 && projects?.length === 0;
  return (
    <>
      <h2>{greeting(new Date().getHours())}</h2>
      {isEmpty && (
        <p className="muted">
          {t(
            "Ask about your tasks, projects, notes and dates, or say what to do with them. Your data stays on this device.",
          )}
        </p>
      )}
      {isEmpty && <Elsewhere />}
      <Day />
      <PinnedAnswers />
      {isEmpty && (
        <p className="row">
          <button
            type="button"
            className="button primary"
            disabled={isBusy}
            onClick={() => void run(() => store.loadExamples(currentLanguage()).then(focusPage))}
          >
            {t("Load example data")}
          </button>
          <span className="muted small">{t("Look around with a few made-up projects.")}</span>
        </p>
      )}
      <Problem error={error} />
    </>
  );
}

function greeting(hour: number): string {
  if (hour < 5 || hour >= 18) {
    return t("Good evening.");
  }
  return hour < 12 ? t("Good morning.") : t("Good afternoon.");
}
