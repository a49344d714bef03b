"""What models repeat, as small ones do: calls in later rounds of an answer, and text without end. Pure."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from agents.events import ToolCall
from agents.tools.undo import UndoChanges

_MADE_BEFORE: Final = (
    "You have made this very change already, so it was not made once more. Tell the user what you have done."
)
_UNDOES_IT: Final = (
    "This would undo what you have just done for the user, so nothing was undone. Tell the user what you have done."
)
DELETED_BEFORE: Final = (
    "You have deleted this already, so there was nothing left to do. Tell the user what you have done."
)
NEEDLESS: Final = (_MADE_BEFORE, _UNDOES_IT, DELETED_BEFORE)
"""The results of calls that are not run, because nothing is left to do."""
_ADVISED_AFTER: Final = 2
_FAILED_AGAIN: Final = (
    "This is the same call as before, and it failed again. Change it, do something else, or answer without it."
)
_READ_AGAIN: Final = "This is the same call as before, with the same result. Answer the user now."
_BLANK_LINES: Final = 32
_WINDOW: Final = 4096
"""How many characters at the end of the text are compared."""
_MIN_REPETITIONS: Final = 16
"""How many repetitions must fill the window: a list may have a few equal lines."""
_PROBE: Final = 32
_STEP: Final = 256
"""After how many new characters the end is compared again."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Repeated:
    """The outcome of a call, and for how many rounds in a row it was the same."""

    ok: bool
    text: str
    times: int


class Repetitions:
    """Remembers the changes that were made, and the outcomes of the previous round, to recognize repeated calls.

    ``reads`` says whether a call only reads.
    """

    def __init__(self, reads: Callable[[ToolCall], bool]) -> None:
        self._reads = reads
        self._made: set[tuple[str, str]] = set()
        self._making: set[tuple[str, str]] = set()
        self._before: Mapping[tuple[str, str], _Repeated] = {}
        self._now: dict[tuple[str, str], _Repeated] = {}

    @property
    def hopeless(self) -> bool:
        """Whether a call had the same outcome once more after advice."""
        return any(repeated.times > _ADVISED_AFTER for repeated in self._now.values())

    def begin_round(self) -> None:
        """The calls that are noted from now on belong to the next round."""
        # The same call twice in one round is intended: two rows may be equal.
        self._made |= self._making
        self._making.clear()
        self._before, self._now = self._now, {}

    def needless(self, call: ToolCall) -> str:
        """The text for the model instead of a result if ``call`` is not to be run; else empty.

        That is so if it repeats a change of an earlier round of the answer, or undoes one.
        """
        if call.name == UndoChanges.tool_name and any(name != call.name for name, _ in self._made):
            return _UNDOES_IT
        return _MADE_BEFORE if self._made and _comparable(call) in self._made else ""

    def note(self, call: ToolCall, *, ok: bool, text: str) -> str:
        """Note the outcome of ``call``. Returns the advice to add to it; empty unless the outcome is repeated."""
        same = _comparable(call)
        if ok and not self._reads(call):
            self._making.add(same)
            return ""
        before = self._before.get(same)
        again = before is not None and before.ok == ok and (not ok or before.text == text)
        times = before.times + 1 if before is not None and again else 1
        self._now[same] = _Repeated(ok=ok, text=text, times=times)
        return "" if not again else _READ_AGAIN if ok else _FAILED_AGAIN


class Endless(Enum):
    """What a model writes without end.

    Servers whose grammar allows an end only after a call make a model that has written its call as text continue like
    this until its context is full, which takes a slow model many minutes.
    """

    BLANK = auto()
    WORDS = auto()


class Runaway:
    """Examines a model's text while it arrives."""

    def __init__(self) -> None:
        self._blank_lines = 0
        self._end = ""
        self._new = 0

    def feed(self, text: str) -> Endless | None:
        """Add ``text``. Returns what the model writes without end; None if it does not."""
        written = text.rstrip()
        self._blank_lines = text.count("\n", len(written)) + (0 if written else self._blank_lines)
        self._end = (self._end + text)[-_WINDOW:]
        self._new += len(text)
        if self._blank_lines >= _BLANK_LINES:
            return Endless.BLANK
        if self._new < _STEP:
            return None
        self._new = 0
        if not self._repeats():
            return None
        return Endless.WORDS if self._end.strip() else Endless.BLANK

    def _repeats(self) -> bool:
        """Whether the window is full of at least ``_MIN_REPETITIONS`` repetitions. The first may be cut off."""
        end = self._end
        if len(end) < _WINDOW:
            return False
        before = end.rfind(end[-_PROBE:], 0, -1)
        period = len(end) - _PROBE - before
        return before >= 0 and period * _MIN_REPETITIONS <= _WINDOW and end[period:] == end[:-period]


def _comparable(call: ToolCall) -> tuple[str, str]:
    """Equal for calls that differ only in white space, or in the order of their arguments."""
    try:
        return call.name, json.dumps(json.loads(call.arguments), sort_keys=True)
    except (ValueError, RecursionError):
        return call.name, call.arguments
