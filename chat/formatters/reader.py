"""A model's message for a home answer, split while it is written: text, whole blocks, and what is no block.

A message is prose, all of it, unless it begins with an object that has a ``type`` (after white space, a fence, the
bracket of an array). Among blocks, what is no block is text too. After a broken object, everything is skipped up to
the beginning of the next one.

The pieces do not depend on how the message is cut, and a character costs the same however long the message is: what
is read again, because a broken object may contain whole ones, is bounded by ``MAX_READ_AGAIN``.
"""

import re
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from chat.formatters.json_stream import MAX_BLOCK, TEXT, ObjectReader, Outcome, SurrogateJoiner, end_of_run

MAX_READ_AGAIN = MAX_BLOCK
"""Characters of one message that are read again. Beyond it, blocks inside a broken object are not looked for."""

_BLOCK_MAY_BEGIN = re.compile(r"[{\[`]")
_SPACE = re.compile(r"\s*+")
_TICK = "`"
_FENCE_TICKS = 3
_LANGUAGE = re.compile(r"[\w+-]*+")


@dataclass(frozen=True, kw_only=True, slots=True)
class WholeBlock:
    """A block that is not text: an object with this type, as written."""

    type: str
    source: str


@dataclass(frozen=True, kw_only=True, slots=True)
class SkippedBlock:
    """A block that cannot be read. ``type`` is None when it has none."""

    type: str | None
    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Unreadable:
    """The last piece of a message with broken blocks: the source of the broken ones."""

    source: str


Piece: TypeAlias = str | WholeBlock | SkippedBlock | Unreadable
"""A piece of text is a plain string."""


Verdict = Enum("Verdict", ["OPEN", "OBJECT", "PROSE"])
"""What the characters lead to."""
_Position = Enum("_Position", ["START", "TICKS", "LANGUAGE", "FENCE", "BRACKET"])
"""What was read last, white space aside."""


class BlockPrefix:
    """What may precede a block: white space, a fence, the bracket of an array, a comma.

    It ends at the ``{`` of an object, or where it is clear that there is none. ``after_block``: commas and closing
    brackets belong to the blocks before. ``in_fence``: a fence is open, and the next one closes it. ``fence_begun``: a
    fence opens here, if an object follows.
    """

    def __init__(self, *, after_block: bool, in_fence: bool) -> None:
        self.verdict = Verdict.OPEN
        self.in_fence = in_fence
        self.fence_begun = False
        self._after_block = after_block
        self._position = _Position.START
        self._ticks = 0
        self._held: list[str] = []

    @property
    def held(self) -> str:
        """What was read; it is text if it leads to prose."""
        return "".join(self._held)

    def read(self, text: str, start: int) -> int:
        """Read on from ``start``; the position of the character that decided, or the end of ``text``."""
        position = start
        while position < len(text) and self.verdict is Verdict.OPEN:
            if self._position is _Position.TICKS:
                position = self._read_tick(text, position)
                continue
            in_language = self._position is _Position.LANGUAGE
            end = end_of_run(_LANGUAGE if in_language else _SPACE, text, position)
            self._held.append(text[position:end])
            if in_language and end < len(text):
                self._position = _Position.FENCE
            position = end if in_language or end > position else self._read_mark(text, position)
        return position

    def _read_tick(self, text: str, position: int) -> int:
        if text[position] != _TICK:
            return self._decide(Verdict.PROSE, position)
        self._held.append(_TICK)
        self._ticks += 1
        if self._ticks == _FENCE_TICKS and self.in_fence:
            self.in_fence = False
            self._begin_again()
        elif self._ticks == _FENCE_TICKS:
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
            self._hold(mark, _Position.BRACKET)
        elif mark == _TICK and self._position is _Position.START:
            self._ticks = 1
            self._hold(mark, _Position.TICKS)
        else:
            return self._decide(Verdict.PROSE, position)
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


_State = Enum("_State", ["PREFIX", "OBJECT", "PROSE_AMONG_BLOCKS", "ONLY_PROSE", "SKIPPING"])
"""Where in the message the reader is."""


class BlockReader:
    """Reads messages, one after the other."""

    def __init__(self) -> None:
        self._joiner = SurrogateJoiner()
        self._pieces: list[Piece] = []
        self._text: list[str] = []
        self._begin_message()

    def feed(self, text: str) -> list[Piece]:
        """The pieces that ``text`` completes; text as far as it is decoded."""
        if self._state is _State.OBJECT and self._joiner.is_empty and self._object.passes(text):
            return [text]
        self._read(self._joiner.feed(text))
        return self._taken()

    def end_message(self) -> list[Piece]:
        """The rest of the message; what is fed next begins a new one."""
        self._read(self._joiner.flush())
        while self._state is _State.OBJECT:
            self._end_cut_object()
        if self._state is _State.PREFIX and not self._prefix.held.isspace():
            self._say(self._prefix.held)
        if self._lost_size:
            self._add(Unreadable(source="".join(self._lost)))
        self._begin_message()
        return self._taken()

    def _begin_message(self) -> None:
        self._opening = True
        self._skipping = False
        self._lost: list[str] = []
        self._lost_size = 0
        self._may_read_again = MAX_READ_AGAIN
        self._object = ObjectReader()
        self._waiting: list[tuple[str, int]] = []
        self._await_block(after_block=False, in_fence=False)

    def _taken(self) -> list[Piece]:
        text = "".join(self._text)
        pieces = [*self._pieces, text] if text else self._pieces
        self._text, self._pieces = [], []
        return pieces

    def _read(self, text: str) -> None:
        """Read ``text``, and before it what waits to be read again."""
        self._waiting.append((text, 0))
        while self._waiting:
            text, position = self._waiting.pop()
            while position < len(text):
                position = self._read_on(text, position)

    def _read_on(self, text: str, position: int) -> int:
        match self._state:
            case _State.PREFIX:
                return self._read_prefix(text, position)
            case _State.OBJECT:
                return self._read_object(text, position)
            case _State.PROSE_AMONG_BLOCKS:
                return self._read_prose(text, position)
            case _State.ONLY_PROSE:
                self._say(text[position:])
                return len(text)
            case _State.SKIPPING:
                return self._skip(text, position)

    def _read_prefix(self, text: str, start: int) -> int:
        position = self._prefix.read(text, start)
        if self._prefix.verdict is Verdict.OBJECT:
            self._begin_object()
        elif self._prefix.verdict is Verdict.PROSE:
            self._go_on_with_prose(self._prefix.held)
        return position

    def _read_prose(self, text: str, start: int) -> int:
        mark = _BLOCK_MAY_BEGIN.search(text, start)
        end = mark.start() if mark else len(text)
        self._say(text[start:end])
        if mark:
            self._await_block(after_block=False, in_fence=self._prefix.in_fence)
        return end

    def _skip(self, text: str, start: int) -> int:
        brace = text.find("{", start)
        end = brace if brace >= 0 else len(text)
        self._lose(text[start:end])
        if brace >= 0:
            self._begin_object()
        return end

    def _read_object(self, text: str, start: int) -> int:
        found = self._object
        position = found.read(text, start)
        self._say(found.take_text())
        if found.outcome is Outcome.BROKEN:
            self._give_up("it is not JSON", text, position)
            return len(text)
        if found.outcome is Outcome.WHOLE:
            if found.typed or found.excess:
                self._end_block()
            elif self._skipping:
                self._lose(found.source)
                self._state = _State.SKIPPING
            else:
                self._go_on_with_prose(self._prefix.held + found.source)
        return position

    def _end_block(self) -> None:
        block = self._object
        if block.type is None:
            self._say(block.take_content())
            self._report(block.excess or "its type is not a string")
        elif block.type == TEXT:
            if not block.has_content:
                self._report("its content is not a string")
        elif block.excess:
            self._report(block.excess)
        else:
            self._add(WholeBlock(type=block.type, source=block.source))
        self._await_next_block()
        if self._skipping and self._waiting:  # it was inside a broken one, which goes on
            self._state = _State.SKIPPING

    def _end_cut_object(self) -> None:
        cut = self._object
        cut.cut_off()
        content = cut.take_content()
        self._say(content)
        if content or cut.shown:
            self._await_next_block()
        elif cut.typed and cut.deepest == 1:  # nothing in it yet that could be read
            self._report("it breaks off")
            self._await_next_block()
        else:
            self._give_up("it breaks off", "", 0)
            self._read("")

    def _give_up(self, reason: str, text: str, position: int) -> None:
        """Leave an object that is no block, or a broken one.

        What it may contain is read again, before ``text`` from ``position`` on.
        """
        broken = self._object
        begin, swallowed = broken.source, ""
        if len(begin) <= self._may_read_again:
            self._may_read_again -= len(begin)
            begin, swallowed = begin[:1], begin[1:]
        if begin and not (broken.typed or self._skipping):
            self._go_on_with_prose(self._prefix.held + begin)
        else:
            if broken.typed:
                self._report(reason)
            elif broken.excess:
                self._say(broken.take_content())
                self._report(broken.excess)
            self._await_next_block()
            self._state = _State.SKIPPING
            self._lose(begin)
        self._waiting.extend([(text, position), (swallowed, 0)])

    def _begin_object(self) -> None:
        self._skipping = self._state is _State.SKIPPING
        self._state = _State.OBJECT
        self._object = ObjectReader()

    def _go_on_with_prose(self, text: str) -> None:
        self._say(text)
        self._state = _State.ONLY_PROSE if self._opening else _State.PROSE_AMONG_BLOCKS

    def _await_next_block(self) -> None:
        self._opening = False
        self._await_block(after_block=True, in_fence=self._prefix.in_fence or self._prefix.fence_begun)

    def _await_block(self, *, after_block: bool, in_fence: bool) -> None:
        self._state = _State.PREFIX
        self._prefix = BlockPrefix(after_block=after_block, in_fence=in_fence)

    def _say(self, text: str) -> None:
        self._text.append(text)

    def _add(self, piece: Piece) -> None:
        text = "".join(self._text)
        self._text.clear()
        self._pieces.extend([text, piece] if text else [piece])

    def _report(self, reason: str) -> None:
        self._add(SkippedBlock(type=self._object.type, reason=reason))

    def _lose(self, text: str) -> None:
        kept = text[: MAX_BLOCK - self._lost_size]
        self._lost_size += len(kept)
        self._lost.append(kept)
