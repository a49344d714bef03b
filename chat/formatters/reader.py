"""Splits a model's message, while it arrives, into text, blocks, and blocks that cannot be read.

A message is text, except for JSON objects, arrays of texts, and fences with the name of a block. Code in other fences
is text. After a broken object that was meant as a block, everything is skipped up to the beginning of the next object.

The pieces do not depend on how the message is cut. The cost is linear in the length of the message: a broken object is
read again, because it may contain whole ones, but only within ``MAX_READ_AGAIN``.
"""

import re
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from chat.formatters.json_stream import MAX_BLOCK, TEXT, ObjectReader, Outcome, SurrogateJoiner
from chat.formatters.prefix import FENCE_TICKS, BlockPrefix, Verdict

MAX_READ_AGAIN = MAX_BLOCK
"""In characters of a message. When they are used up, broken objects are not searched for blocks."""

_BLOCK_MAY_BEGIN = re.compile(r"[{\[`]")
_TICK = "`"


@dataclass(frozen=True, kw_only=True, slots=True)
class WholeBlock:
    """The JSON of a block other than text: an object, with its ``type`` if it has one, or an array of texts."""

    type: str | None
    source: str


@dataclass(frozen=True, slots=True)
class FencedBlock:
    """The content of a fence with the name of a block."""

    name: str
    source: str


@dataclass(frozen=True, kw_only=True, slots=True)
class SkippedBlock:
    """A block that cannot be read. ``type`` is None if it has none."""

    type: str | None
    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Unreadable:
    """The last piece of a message with broken blocks: their source."""

    source: str


Piece: TypeAlias = str | WholeBlock | FencedBlock | SkippedBlock | Unreadable
"""A string is text."""
_State = Enum("_State", ["PREFIX", "OBJECT", "PROSE", "CODE", "FENCE", "SKIPPING"])
"""The part of the message that is being read."""


class BlockReader:
    """Reads one message after another."""

    _prefix: BlockPrefix

    def __init__(self) -> None:
        self._joiner = SurrogateJoiner()
        self._pieces: list[Piece] = []
        self._text: list[str] = []
        self._begin_message()

    def feed(self, text: str) -> list[Piece]:
        """The pieces that ``text`` completes, and the decoded text so far."""
        if self._state is _State.OBJECT and self._joiner.is_empty and self._object.passes(text):
            return [text]
        self._read(self._joiner.feed(text))
        return self._taken()

    def end_message(self) -> list[Piece]:
        """The rest of the message. The next text begins a new message."""
        self._read(self._joiner.flush())
        while self._state is _State.OBJECT:
            self._end_cut_object()
        if self._state is _State.FENCE:
            self._end_block_fence()
        if self._state is _State.PREFIX and not self._prefix.held.isspace():
            self._add_text(self._prefix.held)
        if self._broken_size:
            self._add(Unreadable(source="".join(self._broken)))
        self._begin_message()
        return self._taken()

    def _begin_message(self) -> None:
        self._opening = True
        """Whether there was no text yet."""
        self._skipping = False
        """Whether the object is read within a broken one."""
        self._broken: list[str] = []
        """The source of broken blocks."""
        self._broken_size = 0
        self._read_again_left = MAX_READ_AGAIN
        self._object = ObjectReader()
        self._unread: list[tuple[str, int]] = []
        """Texts to read next, and the position in each; the last one is the first to be read."""
        self._fenced: list[str] = []
        self._ticks = 0
        self._await_block(after_block=False, in_fence=False)

    def _taken(self) -> list[Piece]:
        text = "".join(self._text)
        pieces = [*self._pieces, text] if text else self._pieces
        self._text, self._pieces = [], []
        return pieces

    def _read(self, text: str) -> None:
        """Read ``text``, and the texts that must be read again."""
        self._unread.append((text, 0))
        while self._unread:
            text, position = self._unread.pop()
            while position < len(text):
                position = self._read_on(text, position)

    def _read_on(self, text: str, position: int) -> int:
        match self._state:
            case _State.PREFIX:
                return self._read_prefix(text, position)
            case _State.OBJECT:
                return self._read_object(text, position)
            case _State.PROSE:
                return self._read_prose(text, position)
            case _State.CODE | _State.FENCE:
                return self._read_fence(text, position)
            case _State.SKIPPING:
                return self._skip(text, position)

    def _read_prefix(self, text: str, start: int) -> int:
        position = self._prefix.read(text, start)
        match self._prefix.verdict:
            case Verdict.OBJECT:
                self._begin_object()
            case Verdict.ARRAY:
                self._begin_object()
                self._object.read(self._prefix.array, 0)
            case Verdict.BLOCK_FENCE:
                self._state = _State.FENCE
            case Verdict.PROSE | Verdict.CODE:
                self._continue_prose(self._prefix.held)
            case Verdict.OPEN:
                pass
        return position

    def _read_fence(self, text: str, start: int) -> int:
        """Read a fence up to its end. It is text if it contains code, and otherwise the source of a block."""
        position = start
        while position < len(text) and self._ticks < FENCE_TICKS:
            if text[position] == _TICK:
                self._ticks += 1
                position += 1
            else:
                self._ticks = 0
                tick = text.find(_TICK, position)
                position = len(text) if tick < 0 else tick
        if self._state is _State.CODE:
            self._add_text(text[start:position])
        else:
            self._fenced.append(text[start:position])
        if self._ticks == FENCE_TICKS:
            self._ticks = 0
            if self._state is _State.FENCE:
                self._end_block_fence()
            else:
                self._state = _State.PROSE
        return position

    def _end_block_fence(self) -> None:
        source = "".join(self._fenced).rstrip(_TICK).strip()
        self._fenced.clear()
        name = self._prefix.language
        too_large = len(source) > MAX_BLOCK
        self._add(SkippedBlock(type=name, reason="it is too large") if too_large else FencedBlock(name, source))
        self._prefix.fence_begun = False
        self._await_next_block()

    def _read_prose(self, text: str, start: int) -> int:
        mark = _BLOCK_MAY_BEGIN.search(text, start)
        end = mark.start() if mark else len(text)
        self._add_text(text[start:end])
        if mark:
            self._await_block(after_block=False, in_fence=self._prefix.in_fence)
        return end

    def _skip(self, text: str, start: int) -> int:
        brace = text.find("{", start)
        end = brace if brace >= 0 else len(text)
        self._add_broken(text[start:end])
        if brace >= 0:
            self._begin_object()
        return end

    def _read_object(self, text: str, start: int) -> int:
        block = self._object
        position = block.read(text, start)
        self._add_text(block.take_text())
        if block.outcome is Outcome.BROKEN:
            self._give_up("it is not JSON", text, position)
            return len(text)
        if block.outcome is Outcome.WHOLE:
            if block.typed or block.excess:
                self._end_block()
            elif self._skipping:
                self._add_broken(block.source)
                self._state = _State.SKIPPING
            elif block.empty and self._opening:
                self._await_next_block()
            elif block.empty:
                self._continue_prose(self._prefix.held + block.source)
            else:
                self._add(WholeBlock(type=None, source=block.source))
                self._await_next_block()
        return position

    def _end_block(self) -> None:
        block = self._object
        if block.excess and not (block.type == TEXT and block.has_content):
            self._add_text(block.take_content())
            self._report(block.excess)
        elif block.type != TEXT or not block.has_content:
            self._add(WholeBlock(type=block.type, source=block.source))
        self._await_next_block()
        if self._skipping and self._unread:  # it was within a broken object, which continues
            self._state = _State.SKIPPING

    def _end_cut_object(self) -> None:
        cut = self._object
        cut.cut_off()
        content = cut.take_content()
        self._add_text(content)
        if content or cut.shown:
            self._await_next_block()
        elif cut.typed and cut.deepest == 1:  # it contains no other object
            self._report("it breaks off")
            self._await_next_block()
        else:
            self._give_up("it breaks off", "", 0)
            self._read("")

    def _give_up(self, reason: str, text: str, position: int) -> None:
        """Stop reading an object that is broken or not a block.

        Its source is read again, because it may contain blocks. Then ``text`` is read from ``position`` on.
        """
        broken = self._object
        begin, content = broken.source, ""
        if len(begin) <= self._read_again_left:
            self._read_again_left -= len(begin)
            begin, content = begin[:1], begin[1:]
        is_block = broken.typed or self._prefix.json_fence or (broken.keyed and self._opening)
        if begin and not (is_block or self._skipping):
            self._continue_prose(self._prefix.held + begin)
        else:
            if broken.excess and not broken.typed:
                self._add_text(broken.take_content())
            if broken.typed or broken.excess or not self._skipping:
                self._report(broken.excess or reason)
            self._await_next_block()
            self._state = _State.SKIPPING
            self._add_broken(begin)
        self._unread.extend([(text, position), (content, 0)])

    def _begin_object(self) -> None:
        self._skipping = self._state is _State.SKIPPING
        self._state = _State.OBJECT
        self._object = ObjectReader()

    def _continue_prose(self, text: str) -> None:
        self._add_text(text)
        self._state = _State.CODE if self._prefix.fence_begun else _State.PROSE

    def _await_next_block(self) -> None:
        self._await_block(after_block=True, in_fence=self._prefix.in_fence or self._prefix.fence_begun)

    def _await_block(self, *, after_block: bool, in_fence: bool) -> None:
        self._state = _State.PREFIX
        self._prefix = BlockPrefix(after_block=after_block, in_fence=in_fence)

    def _add_text(self, text: str) -> None:
        self._opening = self._opening and not text.strip()
        self._text.append(text)

    def _add(self, piece: Piece) -> None:
        text = "".join(self._text)
        self._text.clear()
        self._pieces.extend([text, piece] if text else [piece])

    def _report(self, reason: str) -> None:
        self._add(SkippedBlock(type=self._object.type, reason=reason))

    def _add_broken(self, text: str) -> None:
        kept = text[: MAX_BLOCK - self._broken_size]
        self._broken_size += len(kept)
        self._broken.append(kept)
