import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Block } from "../src/blocks/Block";
import { ChatSurface } from "../src/chat/ChatSurface";
import { Boundary } from "../src/parts/Boundary";
import { RpcProvider } from "../src/rpc/RpcProvider";
import { message, ScriptedStore } from "./rpc";

// React logs caught errors, as it should in a browser.
beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => undefined));
afterEach(() => void vi.restoreAllMocks());

let isBroken = true;

function Fragile() {
  if (isBroken) {
    throw new Error("broken");
  }
  return <p>Whole</p>;
}

function shown(of: string) {
  return (
    <>
      <p>Around</p>
      <Boundary
        of={of}
        instead={(again) => (
          <button type="button" onClick={again}>
            Again
          </button>
        )}
      >
        <Fragile />
      </Boundary>
    </>
  );
}

test("a failure leaves the surroundings intact, and can be retried", async () => {
  isBroken = true;
  render(shown("one"));
  expect(screen.getByText("Around")).toBeDefined();

  isBroken = false;
  await userEvent.setup().click(screen.getByRole("button", { name: "Again" }));
  expect(screen.getByText("Whole")).toBeDefined();
});

test("new content is a new try", () => {
  isBroken = true;
  const { rerender } = render(shown("one"));
  isBroken = false;

  rerender(shown("one"));
  expect(screen.queryByText("Whole")).toBeNull();
  rerender(shown("another"));
  expect(screen.getByText("Whole")).toBeDefined();
});

test("a block that no version of the page understands is left out alone", () => {
  render(
    <RpcProvider rpc={new ScriptedStore().rpc}>
      <Block blockType="table" data={{ headers: 3 }} />
      <Block blockType="table" data={{ headers: ["Name"], rows: [["Roses"]] }} />
    </RpcProvider>,
  );

  expect(screen.getByText("A part of the answer could not be shown.")).toBeDefined();
  expect(screen.getByText("Roses")).toBeDefined();
});

test("a malformed message leaves the others intact", async () => {
  const broken = message({ id: "m1", role: "assistant", content: "?", toolResults: [{ type: "text", text: 3 }] });
  render(
    <RpcProvider rpc={new ScriptedStore().rpc}>
      <ChatSurface
        variant="home"
        sessionId="s1"
        messages={[broken, message({ id: "m2", role: "user", content: "Water the roses" })]}
        isStreaming={false}
        onSend={async () => undefined}
        onStop={() => undefined}
      />
    </RpcProvider>,
  );

  await screen.findByText("This message could not be shown.");
  expect(screen.getByText("Water the roses")).toBeDefined();
});
