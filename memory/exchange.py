"""What a user said and what was answered: the form in which it is recorded, and a summary that needs no model."""

import json
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, Self

from accounts.translations import translations

MAX_SIDE_BYTES: Final = 8_192
"""How much of each side's words is kept, in bytes of UTF-8."""
_QUOTED_CHARS: Final = 200


@dataclass(frozen=True, kw_only=True, slots=True)
class Exchange:
    """What a user said and what was answered. ``language`` is the user's (an IETF tag).

    ``session_id`` is the client's name of the conversation, or empty.
    """

    message: str
    response: str
    language: str = "en"
    session_id: str = ""

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
    def from_text(cls, text: str) -> Self:
        """The exchange that ``as_text`` wrote."""
        message, response, language = json.loads(text)
        return cls(message=message, response=response, language=language)


def _cut(text: str) -> str:
    """The beginning of ``text``, of ``MAX_SIDE_BYTES`` at most."""
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
