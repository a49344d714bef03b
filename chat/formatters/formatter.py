"""From a model's text, as it arrives, to the parts of an answer that can be shown."""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from chat.formatters.blocks import BlockPart, BlockType, InvalidBlock, Part, RowSource, TextPart, block_part
from chat.formatters.reader import BlockReader, Piece, SkippedBlock, Unreadable, WholeBlock

_NAME = re.compile(r"[a-z][a-z_]{0,31}")
_TYPES = frozenset(BlockType)


class Formatter(ABC):
    """``on_invalid`` gets a sentence for the log about each block that is not shown: its type and the reason only.

    The joined text of the parts, and the order of the blocks in it, do not depend on how the model's text was cut.
    Nothing is inserted between two messages. If a message would show nothing because its JSON is broken, its source is
    shown.
    """

    def __init__(self, on_invalid: Callable[[str], None]) -> None:
        self._on_invalid = on_invalid
        self._reader = BlockReader()
        self._shown = False

    def feed(self, text: str) -> list[Part]:
        """The parts that ``text`` completes."""
        return self._parts(self._reader.feed(text))

    def end_message(self) -> list[Part]:
        """The last parts of one message. What is fed next begins a new one."""
        parts = self._parts(self._reader.end_message())
        self._shown = False
        return parts

    @abstractmethod
    def _block(self, block: WholeBlock) -> BlockPart | InvalidBlock:
        """The part that shows a block that is not text."""

    def _parts(self, pieces: Sequence[Piece]) -> list[Part]:
        return [part for piece in pieces if (part := self._part(piece))]

    def _part(self, piece: Piece) -> Part | None:
        match piece:
            case str():
                part: Part | None = TextPart(text=piece)
            case WholeBlock():
                part = self._valid(piece)
            case SkippedBlock():
                part = None
                self._log(piece.type, piece.reason)
            case Unreadable():
                # The source is better than nothing at all.
                part = None if self._shown else TextPart(text=piece.source)
        self._shown = self._shown or part is not None
        return part

    def _valid(self, block: WholeBlock) -> BlockPart | None:
        part = self._block(block)
        if isinstance(part, InvalidBlock):
            self._log(block.type, part.reason)
            return None
        return part

    def _log(self, block_type: str | None, reason: str) -> None:
        # A type that is no plain name may be any text of the model.
        name = block_type if block_type and _NAME.fullmatch(block_type) else "nameless"
        self._on_invalid(f"Skipped a block ({name}): {reason}.")


class HomeFormatter(Formatter):
    """The answer of the home page: text and blocks. ``rows`` gives what the turn's tools have returned so far."""

    def __init__(self, rows: RowSource, on_invalid: Callable[[str], None]) -> None:
        super().__init__(on_invalid)
        self._rows = rows

    def _block(self, block: WholeBlock) -> BlockPart | InvalidBlock:
        if block.type not in _TYPES:
            return InvalidBlock(reason="there is no such type")
        return block_part(BlockType(block.type), block.source, self._rows)


class PopupFormatter(Formatter):
    """Text only, even if the model writes blocks."""

    def _block(self, block: WholeBlock) -> BlockPart | InvalidBlock:  # noqa: ARG002
        return InvalidBlock(reason="a popup shows text only")
