"""What a message is taken apart into, before it is known what of it can be shown."""

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, kw_only=True, slots=True)
class WholeBlock:
    """A block that is not text: an object with this type, as written."""

    type: str
    source: str


@dataclass(frozen=True, kw_only=True, slots=True)
class SkippedBlock:
    """A block that cannot be read. ``type`` is None when it did not come to say a type."""

    type: str | None
    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Unreadable:
    """The last piece of a message with broken blocks: the source of the broken ones."""

    source: str


Piece: TypeAlias = str | WholeBlock | SkippedBlock | Unreadable
"""A piece of text is a plain string."""
