"""What a model repeats, as small ones do: calls in the rounds of one answer, and text without an end. Pure."""

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
NEEDLESS: Final = (_MADE_BEFORE, _UNDOES_IT)
"""What a model is told of a call that is not run, because nothing is left to do."""
_ADVISED_AFTER: Final = 2
_FAILED_AGAIN: Final = (
    "This is the same call as before, and it failed again. Change it, do something else, or answer without it."
)
_READ_AGAIN: Final = "This is the same call as before, with the same result. Answer the user now."
_BLANK_LINES: Final = 32
_WINDOW: Final = 4096
"""Characters of the end of the text that are compared."""
_FEWEST: Final = 16
"""Repetitions that fill it: a list may have a few equal lines."""
_PROBE: Final = 32
_STEP: Final = 256
"""New characters after which the end is compared again."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Repeated:
    """How a call went, and how many rounds in a row."""

    ok: bool
    text: str
    times: int


class Repetitions:
    """Calls with the same arguments: changes that were made, and what came to the same in the round before.

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
        """Whether a call came to the same once more after advice."""
        return any(repeated.times > _ADVISED_AFTER for repeated in self._now.values())

    def begin_round(self) -> None:
        """The calls that are noted from now on are those of the next round."""
        # Twice in one round is meant: two rows may be alike.
        self._made |= self._making
        self._making.clear()
        self._before, self._now = self._now, {}

    def needless(self, call: ToolCall) -> str:
        """Why ``call`` is not run, in the place of its result; empty if it is.

        It is a change that was made in an earlier round of the answer, or takes one back.
        """
        if call.name == UndoChanges.tool_name and any(name != call.name for name, _ in self._made):
            return _UNDOES_IT
        return _MADE_BEFORE if self._made and _comparable(call) in self._made else ""

    def note(self, call: ToolCall, *, ok: bool, text: str) -> str:
        """Note the outcome of ``call``; what to add to it, empty unless the round before had the same."""
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
    """What a model writes for ever.

    Servers whose grammar allows an end only after a call make a model that has written the call as text go on like
    this, until its context is full, which takes a slow one many minutes.
    """

    BLANK = auto()
    WORDS = auto()


class Runaway:
    """Reads a model's text as it comes."""

    def __init__(self) -> None:
        self._blank_lines = 0
        self._end = ""
        self._new = 0

    def feed(self, text: str) -> Endless | None:
        """What goes on without an end in ``text``, which follows what was fed before; None if nothing does."""
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
        """Whether the end is one text of at least ``_FEWEST`` equal ones, of which the first may be cut."""
        end = self._end
        if len(end) < _WINDOW:
            return False
        before = end.rfind(end[-_PROBE:], 0, -1)
        period = len(end) - _PROBE - before
        return before >= 0 and period * _FEWEST <= _WINDOW and end[period:] == end[:-period]


def _comparable(call: ToolCall) -> tuple[str, str]:
    """The same for calls that differ in spaces, or in the order of their arguments."""
    try:
        return call.name, json.dumps(json.loads(call.arguments), sort_keys=True)
    except (ValueError, RecursionError):
        return call.name, call.arguments
