"""What each signal counts when passages are ranked. Pure.

Each weight below was chosen on one half of conversations of LoCoMo and BEAM and checked on the other half
(``docs/memory-quality.md`` has the figures with and without each signal, and how to measure again).
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, kw_only=True, slots=True)
class Weights:
    """What each signal counts; every score is scaled to its best before.

    ``overview_…`` is added where an overview is asked for, or the order of things. ``before_…`` is what the words of a
    message and of an answer count that a question follows up, and of each exchange of what the one after it does.

    Nothing is told unless ``Signs.log_odds`` reaches ``floor`` (and a passage has a word of the question, or that asks
    about its author's own life), the named days count ``floor_of_days``, an exchange is near in meaning, or someone is
    named who speaks in copied chats. Preferences that apply to a request on any occasion need log odds of
    ``floor_of_requests``. Passages with less than ``least`` of the best one's value are not told.
    """

    passage: float = 0.8
    in_common: float = 0.28
    exchange: float = 0.6
    conversation: float = 0.3
    previous: float = 0.25
    following: float = 0.1
    vector: float = 0.1
    long_answer: float = 0.3
    opening: float = 0.2
    preference: float = 0.2
    any_preference: float = 0.08
    standing: float = 0.3
    applying: float = 0.3
    on_occasion: float = 0.3
    novelty: float = 0.4
    overview_opening: float = 1.3
    overview_novelty: float = 0.2
    speaker: float = 1.0
    named_day: float = 0.8
    said_then: float = 0.5
    length_exponent: float = 0.3
    before_message: float = 0.7
    before_answer: float = 0.35
    before_further: float = 0.6
    floor: float = -1.4
    floor_of_requests: float = -1.5
    floor_of_days: float = 0.25
    least: float = 0.06


WEIGHTS: Final = Weights()
