"""What a model writes for a home answer, taken apart while it is written: text, whole blocks, and what was no block.

A message is prose, all of it, unless it begins with an object that has a ``type`` (behind white space, a fence, the
bracket of an array). Among blocks, what is no block is text too. Of an object that is broken, everything is skipped
up to where the next one begins.

The pieces do not depend on how the message is cut, and a character costs the same however long the message is: what
is read again because a broken object may have swallowed whole ones is bounded by ``MAX_READ_AGAIN``.
"""

import re
from enum import Enum, auto

from chat.formatters.lead import Lead, Verdict
from chat.formatters.objects import MAX_BLOCK, TEXT, ObjectReader, Outcome
from chat.formatters.pieces import Piece, SkippedBlock, Unreadable, WholeBlock
from chat.formatters.strings import Mender

MAX_READ_AGAIN = MAX_BLOCK
"""Characters of one message that are read again. Beyond it, what a broken object has swallowed is not looked for."""

_BLOCK_MAY_BEGIN = re.compile(r"[{\[`]")


class _State(Enum):
    """Where in the message the reader is."""

    LEAD = auto()
    OBJECT = auto()
    PROSE_AMONG_BLOCKS = auto()
    ONLY_PROSE = auto()
    SKIPPING = auto()


class BlockReader:
    """Reads one message after the other."""

    def __init__(self) -> None:
        self._mender = Mender()
        self._pieces: list[Piece] = []
        self._text: list[str] = []
        self._begin_message()

    def feed(self, text: str) -> list[Piece]:
        """The pieces that ``text`` completes; text itself as far as it is decoded."""
        if self._state is _State.OBJECT and self._mender.is_empty and self._object.passes(text):
            return [text]
        self._read(self._mender.feed(text))
        return self._taken()

    def end_message(self) -> list[Piece]:
        """The rest of the message; what is fed next begins a new one."""
        self._read(self._mender.flush())
        while self._state is _State.OBJECT:
            self._end_cut_object()
        if self._state is _State.LEAD and not self._lead.held.isspace():
            self._say(self._lead.held)
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
        self._waiting.append((text, 0))
        self._read_waiting()

    def _read_waiting(self) -> None:
        while self._waiting:
            text, position = self._waiting.pop()
            while position < len(text):
                position = self._read_on(text, position)

    def _read_on(self, text: str, position: int) -> int:
        match self._state:
            case _State.LEAD:
                return self._read_lead(text, position)
            case _State.OBJECT:
                return self._read_object(text, position)
            case _State.PROSE_AMONG_BLOCKS:
                return self._read_prose(text, position)
            case _State.ONLY_PROSE:
                self._say(text[position:])
                return len(text)
            case _State.SKIPPING:
                return self._skip(text, position)

    def _read_lead(self, text: str, start: int) -> int:
        position = self._lead.read(text, start)
        if self._lead.verdict is Verdict.OBJECT:
            self._begin_object()
        elif self._lead.verdict is Verdict.PROSE:
            self._go_on_with_prose(self._lead.held)
        return position

    def _read_prose(self, text: str, start: int) -> int:
        mark = _BLOCK_MAY_BEGIN.search(text, start)
        end = mark.start() if mark else len(text)
        self._say(text[start:end])
        if mark:
            self._await_block(after_block=False, in_fence=self._lead.in_fence)
        return end

    def _skip(self, text: str, start: int) -> int:
        brace = text.find("{", start)
        end = brace if brace >= 0 else len(text)
        self._lose(text[start:end])
        if brace >= 0:
            self._begin_object()
        return end

    def _read_object(self, text: str, start: int) -> int:
        position = self._object.read(text, start)
        self._say(self._object.take_text())
        match self._object.outcome:
            case Outcome.OPEN:
                return position
            case Outcome.WHOLE:
                self._end_whole_object()
                return position
            case Outcome.BROKEN:
                self._give_up("it is not JSON", text, position)
                return len(text)

    def _end_whole_object(self) -> None:
        if self._object.typed or self._object.excess:
            self._end_block()
        elif self._skipping:
            self._lose(self._object.source)
            self._state = _State.SKIPPING
        else:
            self._go_on_with_prose(self._lead.held + self._object.source)

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
        if self._skipping and self._waiting:  # it stood inside a broken one: what follows is still of that
            self._state = _State.SKIPPING

    def _end_cut_object(self) -> None:
        cut = self._object
        cut.cut_off()
        content = cut.take_content()
        self._say(content)
        if content or cut.shown:
            self._await_next_block()
        elif cut.typed and cut.deepest == 1:  # nothing in it yet that somebody could read
            self._report("it breaks off")
            self._await_next_block()
        else:
            self._give_up("it breaks off", "", 0)
            self._read_waiting()

    def _give_up(self, reason: str, text: str, position: int) -> None:
        """Leave an object that was no block, or a broken one.

        What it may have swallowed is read again, before ``text`` from ``position`` on.
        """
        begin, swallowed = self._divided(self._object.source)
        if self._object.typed or self._skipping or not begin:
            self._skip_broken(reason)
            self._lose(begin)
        else:
            self._go_on_with_prose(self._lead.held + begin)
        self._waiting.extend([(text, position), (swallowed, 0)])

    def _divided(self, source: str) -> tuple[str, str]:
        if len(source) > self._may_read_again:
            return source, ""
        self._may_read_again -= len(source)
        return source[:1], source[1:]

    def _skip_broken(self, reason: str) -> None:
        broken = self._object
        if broken.typed:
            self._report(reason)
        elif broken.excess:
            self._say(broken.take_content())
            self._report(broken.excess)
        self._await_next_block()
        self._state = _State.SKIPPING

    def _begin_object(self) -> None:
        self._skipping = self._state is _State.SKIPPING
        self._state = _State.OBJECT
        self._object = ObjectReader()

    def _go_on_with_prose(self, text: str) -> None:
        self._say(text)
        self._state = _State.ONLY_PROSE if self._opening else _State.PROSE_AMONG_BLOCKS

    def _await_next_block(self) -> None:
        self._opening = False
        self._await_block(after_block=True, in_fence=self._lead.in_fence or self._lead.fence_begun)

    def _await_block(self, *, after_block: bool, in_fence: bool) -> None:
        self._state = _State.LEAD
        self._lead = Lead(after_block=after_block, in_fence=in_fence)

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
