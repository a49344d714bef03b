"""What the user is told while the model is silent: a slow one may read for minutes before its first word.

A model server that reports how much of the prompt it has read is quoted.
"""

import asyncio
from collections.abc import Callable
from typing import Final, assert_never

from accounts.translations import translations
from agents.events import AgentEvent, Finished, ModelProgress, TextDelta, ToolFinished, ToolStarted, Usage

TOLD_EVERY_S: Final = 10.0
_PROGRESS_STEP_PERCENT: Final = 5


class ModelWait:
    """Calls ``tell`` with a sentence in ``language``, each time that the model is silent for another ``every_s``
    seconds, or reports its progress.

    Call ``begin`` when the model is asked, ``note`` for every event, and ``end`` after the last one.
    """

    def __init__(self, tell: Callable[[str], None], language: str, *, every_s: float = TOLD_EVERY_S) -> None:
        self._tell = tell
        self._translations = translations(language)
        self._every_s = every_s
        self._since = 0.0
        self._percent = 0
        self._timer: asyncio.TimerHandle | None = None

    def begin(self) -> None:
        """The model was asked."""
        self.end()
        loop = asyncio.get_running_loop()
        self._since = loop.time()
        self._timer = loop.call_later(self._every_s, self._due)

    def note(self, event: AgentEvent) -> None:
        """There was an event of the model or the loop."""
        match event:
            case TextDelta() | Usage():
                # An answer has hundreds of these, so the timer stays, and looks at the time when it is due.
                self._since = asyncio.get_running_loop().time()
            case ModelProgress():
                self.begin()
                self._tell_progress(round(100 * event.fraction))
            case ToolFinished(is_last=True):
                self.begin()
            case ToolStarted() | ToolFinished() | Finished():
                self.end()
            case _:
                assert_never(event)

    def end(self) -> None:
        """The turn no longer waits for the model."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _tell_progress(self, percent: int) -> None:
        if abs(percent - self._percent) >= _PROGRESS_STEP_PERCENT:
            self._percent = percent
            self._tell(self._translations.gettext("Reading: {percent} %").format(percent=percent))

    def _due(self) -> None:
        loop = asyncio.get_running_loop()
        silent_s = loop.time() - self._since
        if silent_s < self._every_s:
            self._timer = loop.call_at(self._since + self._every_s, self._due)
            return
        self._tell(self._translations.gettext("Still working: {seconds} s").format(seconds=round(silent_s)))
        self._timer = loop.call_later(self._every_s, self._due)
