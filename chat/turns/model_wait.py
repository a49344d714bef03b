"""What the user is told while the model is silent: a slow one may read for minutes before its first word."""

import asyncio
from collections.abc import Callable
from typing import Final, assert_never

from accounts.translations import translations
from agents.events import AgentEvent, Finished, ModelProgress, TextDelta, ToolFinished, ToolStarted, Usage

TOLD_EVERY_S: Final = 10.0
_PROGRESS_STEP: Final = 5
"""In percent."""


class ModelWait:
    """Calls ``tell`` with a sentence in ``language`` whenever the model has been silent for ``every_s`` more seconds.

    A model that says how much it has read is quoted instead. ``begin`` it when a model is asked, let it ``hear`` every
    event, and ``end`` it.
    """

    def __init__(self, tell: Callable[[str], None], language: str, *, every_s: float = TOLD_EVERY_S) -> None:
        self._tell = tell
        self._translations = translations(language)
        self._every_s = every_s
        self._since = 0.0
        self._percent = 0
        self._timer: asyncio.TimerHandle | None = None

    def begin(self) -> None:
        """The model is asked."""
        self.end()
        loop = asyncio.get_running_loop()
        self._since = loop.time()
        self._timer = loop.call_later(self._every_s, self._due)

    def hear(self, event: AgentEvent) -> None:
        """The model, or the loop, has said something."""
        match event:
            case TextDelta() | Usage():
                # An answer has hundreds, so the timer stays as it is.
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
        """The model is not waited for."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _tell_progress(self, percent: int) -> None:
        if abs(percent - self._percent) >= _PROGRESS_STEP:
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
