"""Cursors: where a page of a list ends, as one text that clients give back."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import UUID

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_CURSOR: Final = re.compile(r"(\d{1,17})\.([0-9a-f]{32})", re.ASCII)


@dataclass(frozen=True, kw_only=True, slots=True)
class Cursor:
    """Where a page ends: the time that orders the list, newest first, and the id of its last row."""

    at: datetime
    id: UUID


def encode_cursor(cursor: Cursor) -> str:
    """Microseconds since 1970, and the id."""
    return f"{(cursor.at - _EPOCH) // timedelta(microseconds=1)}.{cursor.id.hex}"


def decode_cursor(text: str) -> Cursor:
    """The cursor that ``encode_cursor`` was given. Raises ``ValueError`` for any other text."""
    parts = _CURSOR.fullmatch(text)
    if parts is None:
        raise ValueError("No cursor.")
    return Cursor(at=_EPOCH + timedelta(microseconds=int(parts[1])), id=UUID(hex=parts[2]))
