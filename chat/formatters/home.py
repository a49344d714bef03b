"""The answer of the home page: text as it is written, blocks once they are whole and valid."""

from collections.abc import Callable

from chat.formatters.assembly import Formatter
from chat.formatters.blocks import InvalidBlock, RowSource, block_part
from chat.formatters.parts import BlockPart, BlockType
from chat.formatters.pieces import WholeBlock

_TYPES = frozenset(BlockType)


class HomeFormatter(Formatter):
    """Text and blocks; ``rows`` gives what the turn's tools have returned by the time a block refers to it."""

    def __init__(self, rows: RowSource, on_invalid: Callable[[str], None]) -> None:
        super().__init__(on_invalid)
        self._rows = rows

    def _block(self, block: WholeBlock) -> BlockPart | InvalidBlock:
        if block.type not in _TYPES:
            return InvalidBlock(reason="there is no such type")
        return block_part(BlockType(block.type), block.source, self._rows)
