"""Habits in a sentence, in the user's language. Pure."""

from collections.abc import Mapping, Sequence
from typing import Final

from memory.mining.basis import Basis, Kind

_ENGLISH: Final = {
    Kind.WEEKLY: "On {day} around {hour}:00 the user asks about: {words}.",
    Kind.DAILY: "Every day around {hour}:00 the user asks about: {words}.",
    Kind.NAME: "The user often speaks of {words}.",
}
_ITALIAN: Final = {
    Kind.WEEKLY: "{day} verso le {hour}:00 l'utente chiede di: {words}.",
    Kind.DAILY: "Ogni giorno verso le {hour}:00 l'utente chiede di: {words}.",
    Kind.NAME: "L'utente parla spesso di {words}.",
}
_WORDING: Final[Mapping[str, Mapping[Kind, str]]] = {"en": _ENGLISH, "it": _ITALIAN}
_DAYS: Final[Mapping[str, Sequence[str]]] = {
    "en": ("Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays", "Sundays"),
    "it": ("Il lunedì", "Il martedì", "Il mercoledì", "Il giovedì", "Il venerdì", "Il sabato", "La domenica"),
}


def in_words(basis: Basis, language: str) -> str:
    """The habit in a sentence, in the user's language; in English where we have no words of it."""
    code = language.partition("-")[0].lower()
    code = code if code in _WORDING else "en"
    day = _DAYS[code][basis.weekday] if basis.weekday >= 0 else ""
    return _WORDING[code][basis.kind].format(day=day, hour=basis.hour, words=", ".join(basis.words))
