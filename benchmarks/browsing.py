"""A user's workspace in a real browser: its content, and when the results of actions are painted.

A page knows when it is painted by the first task after an animation frame. Its clock and the model's are one machine's.
"""

import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from playwright.sync_api import Page, sync_playwright

from benchmarks.frames import CATEGORY, Frames, scrolled_frames
from benchmarks.plans import message
from tests.conftest import CHROMIUM, PASSWORD
from tests.end_to_end.browsers import QUIET

_WAIT_MS: Final = 300_000.0
_SCROLL_PX_S: Final = 3000
_NS: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Workspace:
    """An account's workspace, signed in, with nothing in it."""

    page: Page

    def insert_tasks(self, count: int) -> None:
        """By the way that the page's own forms take."""
        self.page.evaluate(_INSERT, count)

    def converse(self, turns: int) -> None:
        """A conversation on Home of this many questions, each answered at once."""
        self.page.evaluate(_CONVERSE, [message("said"), turns])

    def last_token_to_paint(self) -> float:
        """Ask on Home: from when the model wrote its last token until that was painted (ms)."""
        # The model stamps by the monotonic clock, the page tells by the calendar's.
        ahead = time.time_ns() - time.monotonic_ns()
        stamp, painted_ms = self.page.evaluate(_ASK, message("stamped"))
        return float(painted_ms) - (int(stamp) + ahead) / _NS

    def scroll(self, seconds: int) -> Frames:
        """Scroll the list of tasks as a wheel does; what became of the frames."""
        self.go_to("Tasks")
        self.page.get_by_role("checkbox").first.wait_for()
        box = self.page.locator(".list").bounding_box()
        assert box is not None
        gesture = {
            "x": box["x"] + box["width"] / 2,
            "y": box["y"] + box["height"] / 2,
            "yDistance": -_SCROLL_PX_S * seconds,
            "speed": _SCROLL_PX_S,
            "gestureSourceType": "mouse",
        }
        with traced(self.page) as trace:
            self.page.context.new_cdp_session(self.page).send("Input.synthesizeScrollGesture", gesture)
        assert self.page.evaluate("document.querySelector('.list').scrollTop") > _SCROLL_PX_S, "nothing was scrolled"
        return scrolled_frames(bytes(trace))

    def open_home(self) -> float:
        """Go to Home, where the last conversation is opened: until its last message is painted (ms)."""
        self.go_to("Settings")
        return float(self.page.evaluate(_OPEN))

    def go_to(self, name: str) -> None:
        self.page.get_by_role("link", name=name, exact=True).click()


@contextmanager
def workspace(url: str) -> Iterator[Workspace]:
    """A new account's, until the block ends."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        try:
            page = browser.new_page(base_url=url, viewport={"width": 1280, "height": 800})
            page.set_default_timeout(_WAIT_MS)
            page.goto("/app/sign-up")
            page.get_by_label("Email address").fill(f"{uuid.uuid4().hex}@example.com")
            page.get_by_label("Password").fill(PASSWORD)
            page.get_by_role("button", name="Make the account").click()
            page.get_by_label("Message to Adiuva").wait_for()
            page.evaluate(PREPARED_PAGE)
            yield Workspace(page)
        finally:
            browser.close()


@contextmanager
def traced(page: Page) -> Iterator[bytearray]:
    """What Chromium says of its frames until the block ends; the trace is there after that."""
    browser = page.context.browser
    assert browser is not None
    trace = bytearray()
    # The first takes the default categories out.
    browser.start_tracing(page=page, categories=["-*", CATEGORY])
    try:
        yield trace
    finally:
        trace += browser.stop_tracing()


PREPARED_PAGE: Final = """() => {
  const shared = new BroadcastChannel("adiuva");
  const own = new BroadcastChannel("adiuva-benchmark");
  const waiting = new Map();
  const listeners = new Set();
  own.addEventListener("message", ({ data }) => {
    const call = waiting.get(data.id);
    if (call === undefined || data.type === "accepted") return;
    waiting.delete(data.id);
    data.type === "answer" ? call.resolve(data.value) : call.reject(new Error(data.message));
  });
  shared.addEventListener("message", ({ data }) => {
    if (data.type === "event") for (const listener of listeners) listener(data.event);
  });
  globalThis.storeListeners = listeners;
  globalThis.store = (method, ...args) => new Promise((resolve, reject) => {
    const id = crypto.randomUUID();
    waiting.set(id, { resolve, reject });
    shared.postMessage({ type: "call", id, from: "benchmark", method, args });
  });
  globalThis.paint = () => new Promise((resolve) => requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => resolve(performance.timeOrigin + performance.now());
    port2.postMessage(null);
  }));
  globalThis.until = (isThere) => new Promise((resolve) => {
    const look = () => {
      const found = isThere();
      if (!found) return;
      observer.disconnect();
      paint().then((at) => resolve([found, at]));
    };
    const observer = new MutationObserver(look);
    observer.observe(document.body, { childList: true, subtree: true, characterData: true });
    look();
  });
}"""
"""What the other functions use: calls to the workspace's store, as pages make them, and waiting for paint."""

_INSERT: Final = """async (count) => {
  const day = 24 * 60 * 60 * 1000;
  const insert = (number) => store("insert", "tasks", {
    title: `Task number ${number} of a long list`,
    status: number % 3 === 0 ? "in_progress" : "todo",
    priority: ["high", "medium", "low"][number % 3],
    dueDate: Date.now() + (number % 400 - 200) * day,
  });
  for (let start = 0; start < count; start += 100) {
    await Promise.all(Array.from({ length: Math.min(100, count - start) }, (_, each) => insert(start + each)));
  }
}"""

_CONVERSE: Final = """async ([message, turns]) => {
  let sessionId = null;
  for (let turn = 0; turn < turns; turn += 1) {
    const over = new Promise((resolve) => {
      const listener = (event) => {
        if (event.type !== "over") return;
        storeListeners.delete(listener);
        resolve();
      };
      storeListeners.add(listener);
    });
    sessionId = await store("ask", { channel: "home", sessionId, message, scope: null });
    await over;
  }
  localStorage.setItem("chat.home.lastSessionId", sessionId);
}"""

_ASK: Final = """async (message) => {
  const stamped = () => {
    const text = [...document.querySelectorAll(".message.assistant")].at(-1)?.textContent ?? "";
    const stamps = [...text.matchAll(/Stamp ([0-9]+)[.]/g)];
    return stamps.length === 2 && stamps[1][1];
  };
  const before = stamped();
  const input = document.querySelector("textarea");
  Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value").set.call(input, message);
  input.dispatchEvent(new Event("input", { bubbles: true }));
  await paint();
  document.querySelector("button.send").click();
  const [stamp, at] = await until(() => {
    const stamp = stamped();
    return stamp !== before && stamp;
  });
  await until(() => document.querySelector("button.send[aria-label=Send]"));
  return [stamp, at];
}"""

_OPEN: Final = """async () => {
  const before = performance.timeOrigin + performance.now();
  document.querySelector("nav a[href='/app/']").click();
  const [, at] = await until(() => document.querySelector(".message.assistant"));
  return at - before;
}"""
