"""What an index consists of: exchanges, and the passages of their messages and answers. Pure."""

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple
from uuid import UUID


@dataclass(frozen=True, kw_only=True, slots=True)
class IndexedExchange:
    """An exchange to search. If its full text is not kept, ``message`` is its summary.

    ``at`` is in the time zone of the days that its texts mention. ``language`` is the user's (an IETF tag).
    """

    id: UUID
    at: datetime
    session_id: str
    message: str
    response: str
    language: str = "en"


class Passage(NamedTuple):
    """A part of the message or the answer of an exchange. ``exchange`` is the exchange's position in the index."""

    exchange: int
    is_answer: bool
    text: str
