"""Whether a question is about anything that was said: the relevance threshold. Pure.

A logistic model, fitted to what invented people ask an assistant, and to the project's own cases
(``docs/memory-quality.md`` has its figures, and how to fit it again).
"""

from dataclasses import dataclass
from math import log
from typing import Final

from memory.search.matching import Overlap

_MIN_COVERAGE: Final = 0.005
_MIN_OF_WORDING: Final = -3.0
"""The lower bound of ``wording``: however general a message sounds, it may be about what was said."""
_MIN_BEST: Final = 0.005
_MAX_BEST: Final = 5.0
"""Many words of a pasted text occur somewhere."""
_MAX_OF_DAYS: Final = 0.5
_MAX_NAMES: Final = 3
_FEW: Final = 10
"""With fewer exchanges, nothing is found by chance."""
_MANY: Final = 1_000
"""With more exchanges, no more is found by chance, as far as is known."""

_BIAS: Final = 4.08
_OF_MESSAGE: Final = 0.2
_OF_ASKED: Final = 0.62
_OF_ABSENT: Final = -0.46
_IF_OF_OWN_LIFE: Final = 0.59
_IF_OF_THE_WORLD: Final = -1.48
_IF_ASKS_WHAT_IS: Final = -0.2
_IF_REQUEST: Final = 1.27
_IF_NAMES: Final = 0.4
_OF_UNKNOWN_NAME: Final = -2.15
_OF_BEST: Final = 0.79
_OF_EXCHANGES: Final = -0.47
_OF_DAYS: Final = 0.58
_OF_WORDING: Final = 1.11


@dataclass(frozen=True, kw_only=True, slots=True)
class Signs:
    """The signs that a question is about anything in an index.

    ``message`` is the overlap of the whole message with an exchange, ``asked`` that of the part that asks. The question
    may be about its author's life, which others cannot know (``is_of_own_life``), or about what anyone may know
    (``is_of_the_world``); one that ``asks_what_is`` may be either. It may ask to do something (``is_request``).
    ``unknown_names`` is the number of its names that occur nowhere. ``best`` is the score of the best passage, divided
    by that of a word that occurs once: among many ``exchanges``, one matches by chance. ``days`` is the weight of the
    days that it names. ``wording`` are the log odds, by its wording, that it is about its author's life.
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
        """The values of the model's variables. The first one is that of its constant."""
        return [
            1.0,
            log(self.message.coverage + _MIN_COVERAGE),
            log(self.asked.coverage + _MIN_COVERAGE),
            self.asked.absent,
            self.is_of_own_life,
            self.is_of_the_world,
            self.asks_what_is,
            self.is_request,
            self.asked.has_name,
            min(self.unknown_names, _MAX_NAMES),
            log(min(self.best, _MAX_BEST) + _MIN_BEST),
            log(min(max(self.exchanges, _FEW), _MANY)),
            min(self.days, _MAX_OF_DAYS) / _MAX_OF_DAYS,
            max(self.wording, _MIN_OF_WORDING),
        ]

    @property
    def may_be_found(self) -> bool:
        """Whether its words can find anything: it shares one with a passage, or is about its author's own life."""
        return self.best > 0 or self.is_of_own_life

    @property
    def log_odds(self) -> float:
        """The model's log odds that the question is about anything in the index."""
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
