"""Whether a question has to do with anything that was said. Pure.

A logistic model, fitted with what invented people ask an assistant, and with the project's own cases
(``docs/memory-quality.md`` has its figures and how to fit it again).
"""

from dataclasses import dataclass
from math import log
from typing import Final

from memory.search.matching import Overlap

_LEAST_COVERAGE: Final = 0.005
_LEAST_OF_WORDING: Final = -3.0
"""However general a message sounds, it may be about what was said."""
_LEAST_BEST: Final = 0.005
_MOST_BEST: Final = 5.0
"""Of pasted text many words occur."""
_MOST_OF_DAYS: Final = 0.5
_MOST_NAMES: Final = 3
_FEW: Final = 10
"""With fewer exchanges, nothing is found by chance,"""
_MANY: Final = 1_000
"""and with more no more, as far as is known."""

_BIAS: Final = 4.43
_OF_MESSAGE: Final = 0.32
_OF_ASKED: Final = 0.55
_OF_ABSENT: Final = -0.41
_IF_OF_OWN_LIFE: Final = 0.71
_IF_OF_THE_WORLD: Final = -1.2
_IF_ASKS_WHAT_IS: Final = -0.18
_IF_REQUEST: Final = 1.27
_IF_NAMES: Final = 0.51
_OF_UNKNOWN_NAME: Final = -1.96
_OF_BEST: Final = 0.75
_OF_EXCHANGES: Final = -0.52
_OF_DAYS: Final = 0.55
_OF_WORDING: Final = 1.09


@dataclass(frozen=True, kw_only=True, slots=True)
class Signs:
    """What says whether a question has to do with anything in an index.

    ``message`` is what all of it has in common with an exchange, and ``asked`` what the part does that asks. It may ask
    for something of its author's life that others cannot know (``is_of_own_life``), for what anyone may know
    (``is_of_the_world``; what or who something is, ``asks_what_is``, may be either), or for something to be done
    (``is_request``). ``unknown_names`` is how many of its names were never said, and ``best`` how well the best passage
    matches it, of one that just has a word that occurs once: of many ``exchanges``, one does by chance. ``days`` is
    what the days count that it names, and ``wording`` the log odds by its wording that it is about its author's life.
    """

    message: Overlap
    asked: Overlap
    is_of_own_life: bool
    is_of_the_world: bool
    asks_what_is: bool
    is_request: bool
    unknown_names: int
    best: float
    exchanges: int
    days: float
    wording: float

    def values(self) -> list[float]:
        """The values of the model's variables, the first one of its constant."""
        return [
            1.0,
            log(self.message.coverage + _LEAST_COVERAGE),
            log(self.asked.coverage + _LEAST_COVERAGE),
            self.asked.absent,
            self.is_of_own_life,
            self.is_of_the_world,
            self.asks_what_is,
            self.is_request,
            self.asked.has_name,
            min(self.unknown_names, _MOST_NAMES),
            log(min(self.best, _MOST_BEST) + _LEAST_BEST),
            log(min(max(self.exchanges, _FEW), _MANY)),
            min(self.days, _MOST_OF_DAYS) / _MOST_OF_DAYS,
            max(self.wording, _LEAST_OF_WORDING),
        ]

    @property
    def may_be_found(self) -> bool:
        """Whether its words can find anything: it shares one with a passage, or asks about its author's own life."""
        return self.best > 0 or self.is_of_own_life

    @property
    def log_odds(self) -> float:
        """The model's log odds that it has."""
        return sum(weight * value for weight, value in zip(WEIGHTS, self.values(), strict=True))


WEIGHTS: Final = (
    _BIAS,
    _OF_MESSAGE,
    _OF_ASKED,
    _OF_ABSENT,
    _IF_OF_OWN_LIFE,
    _IF_OF_THE_WORLD,
    _IF_ASKS_WHAT_IS,
    _IF_REQUEST,
    _IF_NAMES,
    _OF_UNKNOWN_NAME,
    _OF_BEST,
    _OF_EXCHANGES,
    _OF_DAYS,
    _OF_WORDING,
)
