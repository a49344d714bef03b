"""What a user said and what was answered. Pure."""

import json
from dataclasses import dataclass
from typing import Final, Self

_QUOTED_CHARS: Final = 200
_KEPT_CHARS: Final = 20_000
_ENGLISH: Final = ("The user said: {message} The answer: {response}", "The user said: {message}")
_SENTENCES: Final = {
    "en": _ENGLISH,
    "it": ("L'utente ha detto: {message} La risposta: {response}", "L'utente ha detto: {message}"),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Exchange:
    """One turn, in words; ``language`` is the user's (an IETF tag)."""

    message: str
    response: str
    language: str = "en"

    def plain_summary(self) -> str:
        """What can be said of it without a model: how each side began, on one line, in the user's language."""
        both, alone = _SENTENCES.get(self.language.partition("-")[0].lower(), _ENGLISH)
        message, response = _quoted(self.message), _quoted(self.response)
        return both.format(message=message, response=response) if response else alone.format(message=message)

    def as_text(self) -> str:
        """All of it, in bounds, as one text to be kept."""
        return json.dumps([self.message[:_KEPT_CHARS], self.response[:_KEPT_CHARS], self.language])

    @classmethod
    def from_text(cls, text: str) -> Self:
        """What ``as_text`` wrote."""
        message, response, language = json.loads(text)
        return cls(message=message, response=response, language=language)


def _quoted(text: str) -> str:
    line = " ".join(text.split())
    if not line:
        return ""
    return f"“{line}”" if len(line) <= _QUOTED_CHARS else f"“{line[: _QUOTED_CHARS - 1].rstrip()}…”"
