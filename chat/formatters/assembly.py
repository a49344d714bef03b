"""From the pieces of a model's messages to the parts of an answer."""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from chat.formatters.blocks import InvalidBlock
from chat.formatters.parts import BlockPart, Part, TextPart
from chat.formatters.pieces import Piece, SkippedBlock, Unreadable, WholeBlock
from chat.formatters.reader import BlockReader

_NAME = re.compile(r"[a-z][a-z_]{0,31}")


class Formatter(ABC):
    """Takes a model's text as it comes and gives the parts that can be shown by now.

    ``on_invalid`` is told, in a sentence for the log, of every block that is not shown: its type and the reason, and
    nothing else of what the model wrote. The text of the parts, put together, does not depend on how the model's text
    was cut, and neither does the place of the blocks in it.

    Nothing is put between two messages either. Of a message that would show nothing because its JSON is broken, the
    source is shown.
    """

    def __init__(self, on_invalid: Callable[[str], None]) -> None:
        self._on_invalid = on_invalid
        self._reader = BlockReader()
        self._shown = False

    def feed(self, text: str) -> list[Part]:
        """The parts that ``text`` completes."""
        return self._parts(self._reader.feed(text))

    def end_message(self) -> list[Part]:
        """The last parts of one message of the model. What is fed next begins a new message."""
        parts = self._parts(self._reader.end_message())
        self._shown = False
        return parts

    @abstractmethod
    def _block(self, block: WholeBlock) -> BlockPart | InvalidBlock:
        """What is shown of a block that is not text."""

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
                # Somebody who would see nothing at all is better off with the source.
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
        # A type that is no plain name may be anything the model wrote.
        name = block_type if block_type and _NAME.fullmatch(block_type) else "nameless"
        self._on_invalid(f"Skipped a block ({name}): {reason}.")
