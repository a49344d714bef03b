"""What a formatter makes of a model's writing: parts, in order, before they become numbered frames."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias


class BlockType(StrEnum):
    """The blocks of a home answer that travel whole."""

    CHART = "chart"
    ENTITY_REF = "entity_ref"
    TABLE = "table"
    TIMELINE = "timeline"


@dataclass(frozen=True, kw_only=True, slots=True)
class TextPart:
    """Text to show as it is."""

    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class BlockPart:
    """A whole, valid block: ``data`` is what ``stream_block`` carries."""

    block_type: BlockType
    data: Mapping[str, object]


Part: TypeAlias = TextPart | BlockPart
