"""An exchange, that is what a user said and what was answered, as it is stored; and a summary that needs no model."""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, Self

from accounts.translations import translations

MAX_SIDE_BYTES: Final = 8_192
"""How much of each side's words is kept, in bytes of UTF-8."""
_QUOTED_CHARS: Final = 200
_MAX_TOUCHED: Final = 20


@dataclass(frozen=True, kw_only=True, slots=True)
class TouchedRow:
    """A row on the user's device that an exchange has changed or named: its type (``task``), id and title."""

    entity_type: str
    entity_id: str
    title: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Exchange:
    """What a user said and what was answered. ``language`` is the user's (an IETF tag).

    ``session_id`` is the client's name of the conversation, or empty. ``touched`` are the rows that what was said may
    be about.
    """

    message: str
    response: str
    language: str = "en"
    session_id: str = ""
    touched: Sequence[TouchedRow] = ()

    def plain_summary(self) -> str:
        """A summary without a model: how each side began, on one line, in the user's language."""
        gettext = translations(self.language).gettext
        message, response = _quoted(self.message), _quoted(self.response)
        if not response:
            return gettext("The user said: {message}").format(message=message)
        return gettext("The user said: {message} The answer: {response}").format(message=message, response=response)

    def as_text(self) -> str:
        """The exchange as it is stored: JSON, each side cut off at ``MAX_SIDE_BYTES``, without ``session_id``."""
        return json.dumps([_cut(self.message), _cut(self.response), self.language])

    @classmethod
    def from_text(cls, text: str, touched: str = "") -> Self:
        """The exchange that ``as_text`` and ``touched_text`` wrote."""
        message, response, language = json.loads(text)
        rows = [
            TouchedRow(entity_type=entity_type, entity_id=entity_id, title=title)
            for entity_type, entity_id, title in (json.loads(touched) if touched else ())
        ]
        return cls(message=message, response=response, language=language, touched=tuple(rows))

    def touched_text(self) -> str:
        """``touched`` as it is stored: JSON, or empty."""
        rows = [[row.entity_type, row.entity_id, row.title] for row in self.touched[:_MAX_TOUCHED]]
        return json.dumps(rows) if rows else ""


def _cut(text: str) -> str:
    """The first ``MAX_SIDE_BYTES`` bytes of ``text``."""
    if len(text) * 4 <= MAX_SIDE_BYTES:
        return text
    # JSON may hold half a surrogate pair; only a character that the cut has split is dropped.
    kept = text.encode("utf-8", "surrogatepass")[:MAX_SIDE_BYTES]
    for end in range(len(kept), max(len(kept) - 4, 0), -1):
        with suppress(UnicodeDecodeError):
            return kept[:end].decode("utf-8", "surrogatepass")
    return ""


def _quoted(text: str) -> str:
    line = " ".join(text.split())
    if not line:
        return ""
    return f"“{line}”" if len(line) <= _QUOTED_CHARS else f"“{line[: _QUOTED_CHARS - 1].rstrip()}…”"
