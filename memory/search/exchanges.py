"""What an index is made of: exchanges, and the passages of their sides. Pure."""

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple
from uuid import UUID


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """An exchange to search. Without words ``message`` is its summary.

    ``at`` is in the time zone in which the days it names are meant. ``language`` is the user's (an IETF tag).
    """

    id: UUID
    at: datetime
    session_id: str
    message: str
    response: str
    language: str = "en"


class Passage(NamedTuple):
    """A part of one side of an exchange, the exchange by its place in the index. A recall makes hundreds."""

    exchange: int
    answered: bool
    text: str
