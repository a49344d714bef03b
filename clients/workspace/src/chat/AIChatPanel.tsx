/** Home: the chat over the full width, with suggestions and the brief. */

import { Elsewhere } from "../parts/Elsewhere";
import { Problem } from "../parts/Problem";
import { useRows, useStore, useTask } from "../rpc/RpcProvider";
import { ChatSurface } from "./ChatSurface";
import { EarlierChats } from "./EarlierChats";
import { useChatStream } from "./useChatStream";

const SUGGESTIONS = ["What should I do next?", "How many tasks by status, as a pie chart?", "What’s overdue?"];
const DAILY_BRIEF = "My daily brief, please.";

export function AIChatPanel() {
  const stream = useChatStream("home");
  const brief = () => void stream.send(DAILY_BRIEF, { brief: { of: "day" } }).catch(() => undefined);
  return (
    <>
      <div className="home-bar">
        <EarlierChats home={stream} />
        <button type="button" className="button" disabled={stream.isStreaming} onClick={brief}>
          Brief me
        </button>
        <button type="button" className="button" onClick={stream.newChat}>
          New chat
        </button>
      </div>
      <ChatSurface
        {...stream}
        variant="home"
        onSend={(message) => stream.send(message)}
        onStop={stream.stop}
        welcome={<Greeting />}
        suggestions={SUGGESTIONS}
      />
    </>
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
      <p className="muted">
        Ask about your tasks, projects, notes and dates, or say what to do with them. They are stored in this browser,
        not on the server.
      </p>
      {isEmpty && <Elsewhere />}
      {isEmpty && (
        <p className="row">
          <button
            type="button"
            className="button primary"
            disabled={isBusy}
            onClick={() => void run(() => store.loadExamples())}
          >
            Load example data
          </button>
          <span className="muted small">Look around with a few made-up projects.</span>
        </p>
      )}
      <Problem error={error} />
    </>
  );
}

function greeting(hour: number): string {
  if (hour < 5 || hour >= 18) {
    return "Good evening.";
  }
  return hour < 12 ? "Good morning." : "Good afternoon.";
}
