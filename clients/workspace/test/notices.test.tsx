import type { ErrorFrame } from "@adiuva/client";
import { act, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ChatSurface } from "../src/chat/ChatSurface";
import { RpcProvider } from "../src/rpc/RpcProvider";
import { LASTING_MS, Notices } from "../src/store/notices";
import { ONLINE, ScriptedStore } from "./rpc";

const LATE = "Your answer came too late: the question was answered elsewhere, or it had expired.";
const LOST = "The request that asked this has ended, so nothing was done. Ask for it again.";

function error(code: ErrorFrame["code"], more: Partial<ErrorFrame> = {}): ErrorFrame {
  return { type: "error", code, message: "In the server's words.", retryable: false, ...more };
}

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

test.each([
  [error("unknown_request"), LATE],
  [error("turn_lost", { request_id: "m1", message: LOST }), LOST],
  [error("internal_error"), "In the server's words."],
  [error("unknown_request", { request_id: "m1" }), null],
  [error("token_expired"), null],
  [error("unauthorized"), null],
])("a server message about %j becomes the right notice", (frame, told) => {
  const changed = vi.fn();
  const notices = new Notices(changed);

  notices.note(frame);

  expect(notices.latest).toBe(told);
  expect(changed).toHaveBeenCalledTimes(told === null ? 0 : 1);
});

test("a notice disappears by itself, each after its own time", () => {
  const changed = vi.fn();
  const notices = new Notices(changed);
  notices.note(error("unknown_request"));
  vi.advanceTimersByTime(LASTING_MS - 1);
  notices.note(error("internal_error"));

  vi.advanceTimersByTime(LASTING_MS - 1);
  expect(notices.latest).toBe("In the server's words.");
  vi.advanceTimersByTime(1);
  expect(notices.latest).toBeNull();
  expect(changed).toHaveBeenCalledTimes(3);
});

test("a notice disappears with the user's next action", () => {
  const changed = vi.fn();
  const notices = new Notices(changed);
  notices.note(error("unknown_request"));

  notices.clear();
  notices.clear();
  vi.advanceTimersByTime(LASTING_MS);

  expect(notices.latest).toBeNull();
  expect(changed).toHaveBeenCalledTimes(2);
});

test("a notice is above the text field, and is announced", async () => {
  vi.useRealTimers();
  const store = new ScriptedStore();
  render(
    <RpcProvider rpc={store.rpc}>
      <ChatSurface
        variant="home"
        sessionId={null}
        messages={[]}
        isStreaming={false}
        onSend={async () => undefined}
        onStop={() => undefined}
      />
    </RpcProvider>,
  );
  await act(async () => store.tell({ type: "snapshot", snapshot: { ...ONLINE, notice: LATE } }));
  expect((await screen.findByText(LATE)).role).toBe("status");

  await act(async () => store.tell({ type: "snapshot", snapshot: ONLINE }));
  expect(screen.queryByText(LATE)).toBeNull();
});
