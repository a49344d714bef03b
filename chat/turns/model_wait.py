"""Reports to the user while the model is silent, because a slow model may read for minutes before its first word.

If the model server reports how much of the prompt it has read, the user sees that.
"""

import asyncio
from collections.abc import Callable
from typing import Final, assert_never

from accounts.translations import translations
from agents.events import AgentEvent, Finished, ModelProgress, TextDelta, ToolFinished, ToolStarted, Usage

_REPORT_EVERY_S: Final = 10.0
_PROGRESS_STEP_PERCENT: Final = 5


class ModelWait:
    """Calls ``report`` with a sentence in ``language`` after each 10 s of silence, and when the model has read more.

    Call ``begin`` when the model is asked, ``note`` for every event, and ``end`` after the last one.
    """

    def __init__(self, report: Callable[[str], None], language: str) -> None:
        self._report = report
        self._translations = translations(language)
        self._since = 0.0
        self._percent = 0
        self._timer: asyncio.TimerHandle | None = None

    def begin(self) -> None:
        """The model was asked."""
        self.end()
        loop = asyncio.get_running_loop()
        self._since = loop.time()
        self._timer = loop.call_later(_REPORT_EVERY_S, self._due)

    def note(self, event: AgentEvent) -> None:
        """There was an event of the model or of the loop."""
        match event:
            case TextDelta() | Usage():
                # An answer has hundreds of these, so the timer is not replaced. It checks the time when it is due.
                self._since = asyncio.get_running_loop().time()
            case ModelProgress():
                self.begin()
                self._report_progress(round(100 * event.fraction))
            case ToolFinished(is_last=True):
                self.begin()
            case ToolStarted() | ToolFinished() | Finished():
                self.end()
            case _:
                assert_never(event)

    def end(self) -> None:
        """Stop waiting for the model."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _report_progress(self, percent: int) -> None:
        if abs(percent - self._percent) >= _PROGRESS_STEP_PERCENT:
            self._percent = percent
            self._report(self._translations.gettext("Reading: {percent} %").format(percent=percent))

    def _due(self) -> None:
        loop = asyncio.get_running_loop()
        silent_s = loop.time() - self._since
        if silent_s < _REPORT_EVERY_S:
            self._timer = loop.call_at(self._since + _REPORT_EVERY_S, self._due)
            return
        self._report(self._translations.gettext("Still working: {seconds} s").format(seconds=round(silent_s)))
        self._timer = loop.call_later(_REPORT_EVERY_S, self._due)
