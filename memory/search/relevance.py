"""The relevance threshold: whether a question is about anything in an index. Pure.

The model is a logistic regression, fitted to the questions of invented people to an assistant, and to the project's own
cases (``docs/memory-quality.md`` has its figures, and how to fit it again).
"""

from dataclasses import dataclass
from math import log
from typing import Final

from memory.search.matching import Overlap

_MIN_COVERAGE: Final = 0.005
_MIN_WORDING: Final = -3.0
"""The lower bound of ``wording``, because even the most general wording may be about the memory."""
_MIN_BEST: Final = 0.005
_MAX_BEST: Final = 5.0
"""The upper bound of ``best``: many words of a pasted text occur somewhere."""
_MAX_DAYS: Final = 0.5
_MAX_NAMES: Final = 3
_MIN_EXCHANGES: Final = 10
"""Fewer exchanges do not make coincidental matches rarer."""
_MAX_EXCHANGES: Final = 1_000
"""More exchanges are not known to make coincidental matches more frequent."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RelevanceFeatures:
    """The features by which the model judges whether a question is about anything in an index.

    ``message`` is the overlap of the whole message with the exchanges, ``asked`` that of the part that asks. The
    question may ask about its author's life (``is_of_own_life``) or for general knowledge (``is_of_the_world``), or
    what something is, which may be either (``asks_what_is``), or for an action or suggestion (``is_request``).
    ``unknown_names`` is the number of its names that occur nowhere. ``best`` is the score of the best passage, divided
    by that of a word that occurs once. ``exchanges`` is the size of the index: among many, one matches coincidentally.
    ``days`` is the best score of the days that the question mentions. ``wording`` are the log odds, by its wording,
    that it is about its author's life.
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
        """The values of the features for the model. The first one is that of the constant term."""
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
            log(min(max(self.exchanges, _MIN_EXCHANGES), _MAX_EXCHANGES)),
            min(self.days, _MAX_DAYS) / _MAX_DAYS,
            max(self.wording, _MIN_WORDING),
        ]

    @property
    def may_be_found(self) -> bool:
        """Whether its words can find anything: it shares one with a passage, or asks about its author's own life."""
        return self.best > 0 or self.is_of_own_life

    @property
    def log_odds(self) -> float:
        """The model's log odds that the question is about anything in the index."""
        return sum(weight * value for weight, value in zip(WEIGHTS, self.values(), strict=True))


WEIGHTS: Final = (
    4.08,  # the constant term
    0.2,  # coverage of the message
    0.62,  # coverage of the part that asks
    -0.46,  # weight of its absent words
    0.59,  # is_of_own_life
    -1.48,  # is_of_the_world
    -0.2,  # asks_what_is
    1.27,  # is_request
    0.4,  # a name that occurs
    -2.15,  # unknown_names
    0.79,  # best
    -0.47,  # exchanges
    0.58,  # days
    1.11,  # wording
)
"""The weights of the model, in the order of ``RelevanceFeatures.values``."""
