import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { ChatSurface } from "../src/chat/ChatSurface";
import { begun, grown, type Live } from "../src/chat/parts";
import { RpcProvider } from "../src/rpc/RpcProvider";
import { message, ScriptedStore } from "./rpc";

const QUESTION = message({ id: "r1", role: "user", content: "When is the roof due?" });
const WRITTEN = grown(begun("r1", "s1"), { type: "text", text: "On Tuesday." });
const ANSWER = message({
  id: "m2",
  role: "assistant",
  content: "On Tuesday.",
  toolCalls: [{ requestId: "r1", finishReason: "done", mutations: [] }],
  toolResults: [...WRITTEN.parts],
});

test("a finished answer is the one that was being written, with what can be done with it", async () => {
  const store = new ScriptedStore();
  const thread = (messages: (typeof QUESTION)[], live: Live[]) => (
    <RpcProvider rpc={store.rpc}>
      <ChatSurface
        messages={messages}
        live={live}
        sessionId="s1"
        isStreaming={live.length > 0}
        variant="home"
        onSend={async () => undefined}
        onStop={() => undefined}
      />
    </RpcProvider>
  );
  const { rerender } = render(thread([QUESTION], [WRITTEN]));
  const written = await screen.findByText("On Tuesday.");
  expect(written.closest(".message")?.getAttribute("aria-busy")).toBe("true");

  rerender(thread([QUESTION, ANSWER], []));
  expect(screen.getByText("On Tuesday.")).toBe(written);
  expect(written.closest(".message")?.hasAttribute("aria-busy")).toBe(false);
  expect(screen.getByRole("button", { name: "Copy the answer" })).toBeDefined();
  expect(screen.getAllByRole("status").map((each) => each.textContent)).toContain("Adiuva: On Tuesday.");
});

test.each([
  [false, () => screen.getByLabelText("Message to Adiuva")],
  [true, () => screen.getByRole("region", { name: "Messages" })],
])("after a suggestion is asked the focus stays in the chat (touch: %s)", async (isTouch, place) => {
  vi.stubGlobal("matchMedia", () => ({ matches: isTouch }));
  const store = new ScriptedStore();
  const chat = (messages: (typeof QUESTION)[], isStreaming: boolean) => (
    <RpcProvider rpc={store.rpc}>
      <ChatSurface
        messages={messages}
        sessionId="s1"
        isStreaming={isStreaming}
        variant="home"
        suggestions={[QUESTION.content]}
        onSend={async () => undefined}
        onStop={() => undefined}
      />
    </RpcProvider>
  );
  const { rerender } = render(chat([], false));
  await userEvent.click(screen.getByRole("button", { name: QUESTION.content }));
  rerender(chat([QUESTION], true));
  expect(document.activeElement).toBe(place());
  vi.unstubAllGlobals();
});
