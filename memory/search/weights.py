"""The weights of the signals by which passages are ranked, and thresholds. Pure.

Each weight was chosen on one half of the conversations of LoCoMo and BEAM and checked on the other half
(``docs/memory-quality.md`` has the figures with and without each signal).
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, kw_only=True, slots=True)
class Weights:
    """The weights of signals, each of which is first divided by its best value, and thresholds.

    ``overview_…`` is added if the question asks for an overview or an order. ``before_message`` and ``before_answer``
    are the weights of words in the messages and answers that the question follows up, and ``before_further`` is the
    factor for each further exchange back.

    Nothing is recalled unless ``RelevanceFeatures.log_odds`` reach ``floor`` (and a passage has a word of the question,
    or that asks about its author's own life), the days that it mentions reach ``floor_of_days``, an exchange is near in
    meaning, or the question names a speaker of a pasted chat. Preferences for occasions that are not of one's own life
    need log odds of ``floor_of_requests``. Passages with less than ``least`` of the best score are not recalled.
    """

    passage: float = 0.8
    feedback: float = 0.28
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
    applicable: float = 0.3
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
