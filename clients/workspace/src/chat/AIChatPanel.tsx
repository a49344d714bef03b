/** Home: the chat over the full width, with suggestions and the brief. */

import type { ChatSession } from "@adiuva/client/database";
import { useEffect, useState } from "react";
import { useKeeper, useRows, useTask } from "../line/LineProvider";
import { ChatSurface } from "./ChatSurface";
import { useChatStream } from "./useChatStream";

const SUGGESTIONS = ["What should I do next?", "How many tasks by status, as a pie chart?", "What’s overdue?"];

export function AIChatPanel() {
  const stream = useChatStream("home");
  const brief = () => void stream.send("", { kind: "brief" }).catch(() => undefined);
  return (
    <>
      <div className="home-bar">
        <Earlier sessionId={stream.sessionId} onOpen={stream.openChat} />
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
  const keeper = useKeeper();
  const { run, isBusy, error } = useTask();
  const tasks = useRows("tasks", {}, 1);
  const projects = useRows("projects", {}, 1);
  const isEmpty = tasks?.length === 0 && projects?.length === 0;
  return (
    <>
      <h2>{greeting(new Date().getHours())}</h2>
      <p className="muted">
        Ask about your tasks, projects, notes and dates, or say what to do with them. They lie in this browser, not on
        the server.
      </p>
      {isEmpty && (
        <p className="row">
          <button
            type="button"
            className="button primary"
            disabled={isBusy}
            onClick={() => void run(() => keeper.loadExamples())}
          >
            Load example data
          </button>
          <span className="muted small">Nothing is here yet: look around with a few made-up projects.</span>
        </p>
      )}
      {error !== "" && <p className="alert">{error}</p>}
    </>
  );
}

function Earlier({ sessionId, onOpen }: { sessionId: string | null; onOpen: (id: string) => void }) {
  const keeper = useKeeper();
  const [sessions, setSessions] = useState<readonly ChatSession[]>([]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new conversation is another list
  useEffect(() => {
    let isCurrent = true;
    keeper.listChats("home").then(
      (found) => isCurrent && setSessions(found),
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [keeper, sessionId]);
  if (sessions.length === 0) {
    return null;
  }
  return (
    <select
      className="input"
      aria-label="Earlier conversations"
      value={sessionId ?? ""}
      onChange={(event) => event.target.value !== "" && onOpen(event.target.value)}
    >
      <option value="">Earlier…</option>
      {sessions.map(({ id, title }) => (
        <option key={id} value={id}>
          {title}
        </option>
      ))}
    </select>
  );
}

function greeting(hour: number): string {
  if (hour < 5 || hour >= 18) {
    return "Good evening.";
  }
  return hour < 12 ? "Good morning." : "Good afternoon.";
}
