"""The answer of the popup: text, and nothing but text."""

from chat.formatters.assembly import Formatter
from chat.formatters.blocks import InvalidBlock
from chat.formatters.parts import BlockPart
from chat.formatters.pieces import WholeBlock


class PopupFormatter(Formatter):
    """Text only, also of a model that writes blocks all the same."""

    def _block(self, block: WholeBlock) -> BlockPart | InvalidBlock:  # noqa: ARG002
        return InvalidBlock(reason="a popup shows text only")
