import json
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Page, sync_playwright

from benchmarks.browsing import traced
from benchmarks.frames import Frames, scrolled_frames
from tests.conftest import CHROMIUM
from tests.end_to_end.browsers import QUIET

RECORDED: Final = Path(__file__).with_name("recorded") / "scrolling.json"
"""Ticks of a real trace: three before the scrolling, then fifteen during which the page gets busy."""
LIST: Final = "".join(f"<p>Row {number}</p>" for number in range(2000))
TRIES: Final = 8
"""A busy machine skips frames of an idle page, too."""
BUSY: Final = """() => {
  const work = () => {
    const end = performance.now() + 60;
    while (performance.now() < end);
    document.querySelector("p").textContent = end;
    requestAnimationFrame(work);
  };
  requestAnimationFrame(work);
}"""


def test_each_tick_of_the_scrolling_counts_once() -> None:
    frames = scrolled_frames(RECORDED.read_bytes())

    assert (frames.presented, frames.partial, frames.dropped, frames.idle) == (12, 2, 2, 1)
    assert frames.per_second == pytest.approx(60, abs=0.1)


def test_frames_a_second_leave_out_what_had_nothing_to_show() -> None:
    frames = Frames(presented=45, partial=9, dropped=15, idle=40, per_second=60.0)

    assert (frames.presented_per_second, frames.dropped_share, frames.partial_share) == (45.0, 0.25, 0.15)


def test_trace_in_which_nothing_was_scrolled_is_refused() -> None:
    trace = json.loads(RECORDED.read_bytes())
    resting = [event for event in trace["traceEvents"] if '"SCROLL_NONE"' in json.dumps(event)]
    assert resting

    for events in ([], resting):
        with pytest.raises(ValueError, match="nothing was scrolled"):
            scrolled_frames(json.dumps({"traceEvents": events}).encode())


@pytest.mark.browser
def test_busy_page_shows_in_the_trace() -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        try:
            page = browser.new_page()
            page.set_content(LIST)
            for _ in range(TRIES):
                quiet = _scrolled(page, by_px=-3000)
                if _spoilt(quiet) < 0.5:
                    break
            page.evaluate(BUSY)
            busy = _scrolled(page, by_px=3000)
        finally:
            browser.close()

    assert _spoilt(quiet) < 0.5, quiet
    # One frame in 60 ms, where four were possible.
    assert _spoilt(busy) > 0.5, busy


def _spoilt(frames: Frames) -> float:
    return frames.dropped_share + frames.partial_share


def _scrolled(page: Page, *, by_px: int) -> Frames:
    gesture = {"x": 200, "y": 200, "yDistance": by_px, "speed": 3000, "gestureSourceType": "mouse"}
    with traced(page) as trace:
        page.context.new_cdp_session(page).send("Input.synthesizeScrollGesture", gesture)
    return scrolled_frames(bytes(trace))
