"""How smoothly a page was scrolled, as Chromium's own trace tells it.

For each tick of the display the compositor reports what became of the frame, in two reports when it and the page's main
thread went separate ways. It does so without a screen, too: a headless Chromium ticks 60 times a second.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias

from pydantic import BaseModel, Field

CATEGORY: Final = "disabled-by-default-devtools.timeline.frame"
"""All that has to be recorded; more would slow down what is measured."""
_REPORT: Final = "PipelineReporter"
_US: Final = 1_000_000

_State: TypeAlias = Literal[
    "STATE_PRESENTED_ALL", "STATE_PRESENTED_PARTIAL", "STATE_DROPPED", "STATE_NO_UPDATE_DESIRED"
]


class _Report(BaseModel):
    state: _State
    scroll_state: str
    frame_source: int
    frame_sequence: int
    layer_tree_host_id: int


class _Arguments(BaseModel):
    frame_reporter: _Report | None = None


class _Event(BaseModel):
    name: str
    pid: int
    ts: float = 0.0
    args: _Arguments = _Arguments()


class _Trace(BaseModel):
    events: list[_Event] = Field(alias="traceEvents")


class _Part(NamedTuple):
    """A report, and when its frame began (µs)."""

    began: float
    report: _Report


_Ticks: TypeAlias = dict[int, list[_Part]]
"""What was reported of each tick of one page's display."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Frames:
    """Ticks of the display from the first that scrolled to the last, each counted once.

    ``presented`` showed something new, ``partial`` of them without what the page's main thread owed to them, which was
    not shown later either: what scrolls is in its new place, and rows that come into sight are not there yet.
    ``dropped`` had something new to show and did not. ``idle`` had nothing. The display ticked ``per_second`` times.
    """

    presented: int
    partial: int
    dropped: int
    idle: int
    per_second: float

    @property
    def presented_per_second(self) -> float:
        """While there is something new to show at every tick."""
        return self.per_second * (1 - self.dropped_share)

    @property
    def dropped_share(self) -> float:
        """Of the ticks that had something new to show (0 to 1)."""
        return self.dropped / (self.presented + self.dropped)

    @property
    def partial_share(self) -> float:
        """Of the ticks that had something new to show (0 to 1)."""
        return self.partial / (self.presented + self.dropped)


def scrolled_frames(trace: bytes) -> Frames:
    """The frames of the page that was scrolled while ``trace`` was recorded, with ``CATEGORY``.

    Raises ``ValueError`` when none was scrolled, and when it is no such trace.
    """
    ticks = _scrolled(_Trace.model_validate_json(trace).events)
    first, last = min(ticks), max(ticks)
    became = Counter(_became({report.state for _, report in parts}) for parts in ticks.values())
    seconds = (ticks[last][0].began - ticks[first][0].began) / _US
    return Frames(
        presented=became["presented"] + became["partial"],
        partial=became["partial"],
        dropped=became["dropped"],
        idle=became["idle"],
        per_second=(last - first) / seconds,
    )


def _scrolled(events: Iterable[_Event]) -> _Ticks:
    """The ticks of the page that was scrolled most, from the first that scrolled to the last."""
    pages: defaultdict[tuple[int, int, int], _Ticks] = defaultdict(lambda: defaultdict(list))
    for event in events:
        # A report's second event, that of its end, has no arguments.
        if event.name == _REPORT and (report := event.args.frame_reporter) is not None:
            page = (event.pid, report.layer_tree_host_id, report.frame_source)
            pages[page][report.frame_sequence].append(_Part(event.ts, report))
    ticks: _Ticks = max(pages.values(), key=lambda each: len(_scrolling(each)), default={})
    scrolled = _scrolling(ticks)
    if len(scrolled) < 2:  # between fewer there is no time
        raise ValueError("nothing was scrolled while this was recorded")
    return {number: parts for number, parts in ticks.items() if scrolled[0] <= number <= scrolled[-1]}


def _scrolling(ticks: _Ticks) -> list[int]:
    return sorted(
        number for number, parts in ticks.items() if any(each.report.scroll_state != "SCROLL_NONE" for each in parts)
    )


def _became(states: set[_State]) -> Literal["presented", "partial", "dropped", "idle"]:
    """Of two reports one is the compositor's, at the tick; the other one's part may have been shown a tick later."""
    if "STATE_PRESENTED_PARTIAL" in states:
        return "presented" if "STATE_PRESENTED_ALL" in states else "partial"
    if "STATE_DROPPED" in states:
        return "dropped"
    return "presented" if "STATE_PRESENTED_ALL" in states else "idle"
