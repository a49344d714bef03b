"""Why a job failed that no tool has failed at, as its user is told, in the languages we ship. Pure."""

from collections.abc import Mapping
from enum import Enum, auto
from typing import Final


class Ending(Enum):
    """How a job ends that its worker did not end."""

    UNREADABLE = auto()
    """What it is to do cannot be opened."""
    INTERRUPTED = auto()
    """Its workers died, as often as it is tried."""
    DEVICE_AWAY = auto()
    NOT_APPROVED = auto()


_ENGLISH: Final[Mapping[Ending, str]] = {
    Ending.UNREADABLE: "This could not be done: what is kept of it cannot be opened.",
    Ending.INTERRUPTED: "This was interrupted again and again, so it was given up. Some of it may have been done.",
    Ending.DEVICE_AWAY: "The device was away for too long, so this was given up. Some of it may have been done.",
    Ending.NOT_APPROVED: "Nobody approved this in time, so nothing was done.",
}
_ITALIAN: Final[Mapping[Ending, str]] = {
    Ending.UNREADABLE: "Non è stato possibile: i dati conservati non si possono aprire.",
    Ending.INTERRUPTED: "L'operazione è stata interrotta più volte e poi abbandonata. Una parte può essere già fatta.",
    Ending.DEVICE_AWAY: (
        "Il dispositivo è rimasto assente troppo a lungo e l'operazione è stata abbandonata. "
        "Una parte può essere già fatta."
    ),
    Ending.NOT_APPROVED: "Nessuno ha approvato in tempo, quindi non è stato fatto nulla.",
}


def ending_text(ending: Ending, language: str) -> str:
    """A sentence or two for the user. ``language`` is an IETF tag; English where it is none of ours."""
    texts = _ITALIAN if language.lower().partition("-")[0] == "it" else _ENGLISH
    return texts[ending]
