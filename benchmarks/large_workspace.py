"""A workspace with the rows of years: its pages opened, keys typed in it, all of it searched, and the first page.

It uses what ``benchmarks.browsing`` puts into the page: the calls to the workspace's store, and the times of paint. For
each opened page there is also what its main thread did, which a busy machine hardly changes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from playwright.sync_api import CDPSession, Page

from benchmarks.browsing import PREPARED_PAGE, Workspace

_SLOWED: Final = 4
_MS: Final = 1000
_CHANGES: Final = 200
"""Of today, for the history."""

CONTENT: Final[Mapping[str, str]] = {
    "Tasks": ".task-row",
    "Projects": ".card",
    "Notes": ".card",
    "Timeline": ".gantt a",
    "History": ".history-entry",
    "Settings": "h2",
}
"""What each page of the navigation shows of its rows."""


@dataclass(frozen=True, slots=True)
class Opening:
    """How long it took until the rows of a page were painted, and how long the page's main thread worked (ms)."""

    clock: float
    thread: float


class LargeWorkspace:
    """``workspace`` with ``tasks`` tasks in one project and as many other rows: half of them notes."""

    def __init__(self, workspace: Workspace, *, tasks: int) -> None:
        self._page: Page = workspace.page
        self._session: CDPSession = self._page.context.new_cdp_session(self._page)
        # Of the thread alone: waiting for a busy machine does not count.
        self._session.send("Performance.enable", {"timeDomain": "threadTicks"})
        self._page.evaluate(_FILL, _counts(tasks))

    def open(self, name: str) -> Opening:
        """Go to a page of the navigation."""
        return self._timed(_GO, [name, CONTENT[name]])

    def open_project(self) -> Opening:
        """Go from Projects to the project that has all tasks."""
        self._page.get_by_role("link", name="Projects", exact=True).click()
        self._page.locator(".card").first.wait_for()
        return self._timed(_GO_TO_PROJECT, None)

    def type_in(self, field: str, letters: str) -> list[float]:
        """Type into the field with this label, which is open: from each key until it was painted (ms)."""
        self._page.get_by_label(field, exact=True).first.focus()
        self._page.evaluate(_LISTEN)
        self._page.keyboard.type(letters, delay=120)
        return [float(each) for each in self._page.evaluate("() => stopListening()")]

    def open_palette(self) -> None:
        self._page.keyboard.press("Control+k")
        self._page.get_by_role("dialog").wait_for()

    def close_palette(self) -> None:
        self._page.keyboard.press("Escape")

    def search(self, texts: Sequence[str]) -> list[float]:
        """How long the store takes to find each of them (ms)."""
        return [float(each) for each in self._page.evaluate(_SEARCH, list(texts))]

    def first_page(self) -> float:
        """Load Home on a main thread slowed four times, without any cache: until its text field was painted (ms)."""
        for method, given in (
            ("Network.enable", {}),
            ("Network.setCacheDisabled", {"cacheDisabled": True}),
            ("Network.setBypassServiceWorker", {"bypass": True}),
            ("Emulation.setCPUThrottlingRate", {"rate": _SLOWED}),
        ):
            self._session.send(method, given)
        self._page.add_init_script(_INTERACTIVE)
        self._page.goto("/app/", wait_until="commit")
        took = float(self._page.evaluate("() => interactive"))
        self._session.send("Emulation.setCPUThrottlingRate", {"rate": 1})
        self._session.send("Network.setBypassServiceWorker", {"bypass": False})
        self._page.evaluate(PREPARED_PAGE)
        return took

    def _timed(self, script: str, given: object) -> Opening:
        before = self._thread_s()
        clock = float(self._page.evaluate(script, given))
        return Opening(clock=clock, thread=(self._thread_s() - before) * _MS)

    def _thread_s(self) -> float:
        metrics = self._session.send("Performance.getMetrics")["metrics"]
        return next(float(each["value"]) for each in metrics if each["name"] == "TaskDuration")


def _counts(tasks: int) -> dict[str, int]:
    return {
        "tasks": tasks,
        "notes": tasks // 2,
        "projects": tasks // 5,
        "dates": tasks * 3 // 10,
        "changes": _CHANGES,
    }


_FILL: Final = """async (counts) => {
  const day = 24 * 60 * 60 * 1000;
  const now = Date.now();
  const made = (count, row) => Array.from({ length: count }, (_, number) => row(number));
  const projectOf = (number) => `p${number % counts.projects}`;
  const suggestion = { isAiSuggested: 0, isApproved: 1 };
  const rows = {
    clients: [],
    projects: made(counts.projects, (number) => ({
      id: `p${number}`, clientId: null, name: `Project ${number}`, status: "active", aiSummary: null, createdAt: now,
    })),
    tasks: made(counts.tasks, (number) => ({
      id: `t${number}`,
      projectId: "p0",
      title: `Task number ${number} of a long list`,
      description: null,
      status: number % 3 === 0 ? "in_progress" : "todo",
      priority: ["high", "medium", "low"][number % 3],
      assignee: null,
      dueDate: now + (number % 400 - 200) * day,
      ...suggestion,
      createdAt: now,
    })),
    checkpoints: made(counts.dates, (number) => ({
      id: `c${number}`, projectId: projectOf(number), title: `Checkpoint ${number}`, date: now + (number % 300) * day,
      ...suggestion, createdAt: now,
    })),
    notes: made(counts.notes, (number) => ({
      id: `n${number}`, projectId: projectOf(number), title: `Note ${number}`,
      content: `What was said on day ${number}, in a few sentences.\\n\\n- ${"point ".repeat(30)}`,
      createdAt: now, updatedAt: now,
    })),
    taskComments: [],
    ai_chat_sessions: [],
    ai_chat_messages: [],
  };
  const copy = JSON.stringify({ format: "adiuva-copy", version: 1, madeAt: now, rows });
  await store("restoreCopy", new Blob([copy], { type: "application/json" }));
  // What is restored is no change of the day.
  for (let number = 0; number < counts.changes; number += 1) {
    await store("update", "tasks", `t${number}`, { priority: "high" });
  }
}"""

_GO: Final = """async ([name, content]) => {
  const before = performance.timeOrigin + performance.now();
  [...document.querySelectorAll(".navigation a")].find((link) => link.textContent === name).click();
  const [, at] = await until(
    () => document.querySelector("main h1")?.textContent === name && document.querySelector(`main ${content}`),
  );
  return at - before;
}"""

_GO_TO_PROJECT: Final = """async () => {
  const before = performance.timeOrigin + performance.now();
  [...document.querySelectorAll(".card")].find((card) => card.textContent.startsWith("Project 0")).click();
  const [, at] = await until(() => document.querySelector("main #tasks .task-row"));
  return at - before;
}"""

_LISTEN: Final = """() => {
  const took = [];
  const press = (event) => void paint().then((at) => took.push(at - performance.timeOrigin - event.timeStamp));
  addEventListener("keydown", press, true);
  globalThis.stopListening = () => {
    removeEventListener("keydown", press, true);
    return paint().then(() => took);
  };
}"""

_SEARCH: Final = """async (texts) => {
  await store("search", "", 12);
  const took = [];
  for (const text of texts) {
    const before = performance.now();
    await store("search", text, 12);
    took.push(performance.now() - before);
  }
  return took;
}"""

_INTERACTIVE: Final = """globalThis.interactive = new Promise((resolve) => {
  const look = () => {
    if (document.querySelector("textarea") === null) return;
    observer.disconnect();
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => resolve(performance.now());
      port2.postMessage(null);
    });
  };
  const observer = new MutationObserver(look);
  observer.observe(document, { childList: true, subtree: true });
});"""
"""The time is from the beginning of the navigation."""
