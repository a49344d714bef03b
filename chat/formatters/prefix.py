"""Reads, while it arrives, what may precede a block in a model's message."""

import re
from enum import Enum

from chat.formatters.json_stream import end_of_run

FENCES = frozenset({"chart", "table", "timeline", "entity_ref", "cards", "milestones", "graph"})
"""The names of fences that hold a block."""
_JSON_FENCES = frozenset({"", "json", "jsonc", "json5", "jsonl", "javascript", "js"})
FENCE_TICKS = 3
_SPACE = re.compile(r"\s*+")
_TICK = "`"
_LANGUAGE = re.compile(r"[\w+-]*+")

Verdict = Enum("Verdict", ["OPEN", "OBJECT", "ARRAY", "BLOCK_FENCE", "CODE", "PROSE"])
"""What follows the prefix. ``OPEN``: it is not known yet."""
_Position = Enum("_Position", ["START", "TICKS", "LANGUAGE", "FENCE", "BRACKET"])
"""What was read last, apart from white space."""


class BlockPrefix:
    """What may precede a block: white space, a fence, the bracket of an array, a comma.

    The prefix ends before the ``{`` of an object, within an array of other values, after the name of a fence that
    contains a block, and at any other text. That text is ``CODE`` if a fence has just opened, and ``PROSE`` otherwise.

    ``after_block``: commas and closing brackets belong to the blocks before. ``in_fence``: a fence is open, and the
    next one closes it. ``fence_begun``: a fence opens in the prefix, and ``language`` is its name. ``array`` is the
    beginning of an array.
    """

    def __init__(self, *, after_block: bool, in_fence: bool) -> None:
        self.verdict = Verdict.OPEN
        self.in_fence = in_fence
        self.fence_begun = False
        self.language = ""
        self.array = ""
        self._after_block = after_block
        self._position = _Position.START
        self._ticks = 0
        self._bracket = 0
        self._held: list[str] = []

    @property
    def held(self) -> str:
        """The characters read. They are text if prose follows."""
        return "".join(self._held)

    def read(self, text: str, start: int) -> int:
        """Read ``text`` from ``start`` on. Returns the position after the prefix, or the end of ``text``."""
        position = start
        while position < len(text) and self.verdict is Verdict.OPEN:
            if self._position is _Position.TICKS:
                position = self._read_tick(text, position)
                continue
            in_language = self._position is _Position.LANGUAGE
            end = end_of_run(_LANGUAGE if in_language else _SPACE, text, position)
            self._held.append(text[position:end])
            if in_language:
                self.language += text[position:end]
                position = self._end_language(end) if end < len(text) else end
            else:
                position = end if end > position else self._read_mark(text, position)
        return position

    def _end_language(self, position: int) -> int:
        self._position = _Position.FENCE
        self.language = self.language.lower()
        if self.language in FENCES:
            return self._decide(Verdict.BLOCK_FENCE, position)
        return position if self.language in _JSON_FENCES else self._decide(Verdict.CODE, position)

    @property
    def json_fence(self) -> bool:
        """Whether a fence opens in the prefix whose name is that of JSON."""
        return self.fence_begun and self.language.startswith("json")

    def _read_tick(self, text: str, position: int) -> int:
        if text[position] != _TICK:
            return self._decide(Verdict.PROSE, position)
        self._held.append(_TICK)
        self._ticks += 1
        if self._ticks == FENCE_TICKS and self.in_fence:
            self.in_fence = False
            self._begin_again()
        elif self._ticks == FENCE_TICKS:
            self.fence_begun = True
            self._position = _Position.LANGUAGE
        return position + 1

    def _read_mark(self, text: str, position: int) -> int:
        mark = text[position]
        if mark == "{":
            return self._decide(Verdict.OBJECT, position)
        if mark in ",]" and self._after_block and self._position is _Position.START:
            self._begin_again()
        elif mark == "[" and self._position is not _Position.BRACKET:
            self._bracket = len(self._held)
            self._hold(mark, _Position.BRACKET)
        elif mark in '"[' and self._position is _Position.BRACKET:
            self.array = "".join(self._held[self._bracket :])
            del self._held[self._bracket :]
            return self._decide(Verdict.ARRAY, position)
        elif mark == _TICK and self._position is _Position.START:
            self._ticks = 1
            self._hold(mark, _Position.TICKS)
        else:
            return self._decide(Verdict.CODE if self.fence_begun else Verdict.PROSE, position)
        return position + 1

    def _hold(self, mark: str, position: _Position) -> None:
        self._held.append(mark)
        self._position = position

    def _begin_again(self) -> None:
        self._held.clear()
        self._position = _Position.START

    def _decide(self, verdict: Verdict, position: int) -> int:
        self.verdict = verdict
        return position
