"""Where a page of disclosures ends: enough to go on from there, though the entry may have been forgotten meanwhile."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import UUID

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_WRITTEN: Final = re.compile(r"([0-9]{1,17})\.([0-9a-f]{32})")


@dataclass(frozen=True, kw_only=True, slots=True)
class Position:
    """The moment and the id of an entry: whatever stands after it is earlier, or has a lower id."""

    at: datetime
    id: UUID

    @property
    def text(self) -> str:
        """As a client is given it: microseconds since 1970, and the id."""
        return f"{(self.at - _EPOCH) // _MICROSECOND}.{self.id.hex}"

    @classmethod
    def of(cls, text: str) -> "Position":
        """What ``text`` was given for. Raises ``ValueError``."""
        written = _WRITTEN.fullmatch(text)
        if written is None:
            raise ValueError("This is no position.")
        return cls(at=_EPOCH + int(written[1]) * _MICROSECOND, id=UUID(written[2]))
