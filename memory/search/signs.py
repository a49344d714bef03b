"""The signs by which a network tells that a later passage has changed an earlier one. Pure."""

from collections.abc import Mapping
from enum import IntEnum, auto
from typing import Final, TypeAlias

from memory.search.bm25 import Flags, Floats

MAX_OF_WORDING: Final = 2.5
"""``Sign.WORDING`` is between minus this and this."""


class Sign(IntEnum):
    """A sign of a pair: “both” are the earlier and the later one, “asked” is what the question has."""

    RARE = 0
    """How rare the words are that both have, without what long ones have by chance."""
    RARE_UNASKED = auto()
    """The same, of those that are not asked."""
    ALIKE = auto()
    """The share of their words that both have (Dice)."""
    COMMON = auto()
    """Both have a word that is none for a time."""
    LENGTH = auto()
    """The logarithm of how many words both have, as their geometric mean; how many either has:"""
    EARLIER_LENGTH = auto()
    LATER_LENGTH = auto()
    OF_EARLIER = auto()
    """The share of the earlier one's words that the later one has,"""
    OF_LATER = auto()
    """and of the later one's words, those that are not asked."""
    ASKED = auto()
    """The share of the words asked that the later one has,"""
    ASKED_ANEW = auto()
    """and that the earlier one has not."""
    TOPIC = auto()
    """The share of the words asked in the earlier one, by how rare they are, that the later one has."""
    VALUE_OF_LATER = auto()
    """What the later one is worth telling, of the most valuable one,"""
    RANK_OF_LATER = auto()
    """and the logarithm of how many are worth more."""
    SAID = auto()
    """The later one has a word for a change, or says that something is new that the earlier one or the question
    names."""
    REASON = auto()
    DECIDES = auto()
    NEGATES = auto()
    OF_ONE_DAY = auto()
    STAYS = auto()
    CLAUSES = auto()
    """The later one is of these kinds."""
    PASSING = auto()
    """The later one tells of the day or week on which it is said, which the earlier one does not, without a word for a
    change."""
    MENTIONED = auto()
    """How rare further words of the earlier one are in a later one with a word for a change or a reason."""
    OTHER_TOPIC = auto()
    """How much of the earlier one is not in a later one with a word for a change."""
    DENIED = auto()
    """Something is not so, times the topic."""
    NOTHING_SAID = auto()
    """The later one has nothing of what is said of the earlier one, no other value, and no word for a change."""
    OTHER_VALUE = auto()
    """The later one has another value of a type that is asked for,"""
    OTHER_NAME = auto()
    """or none but other names."""
    NEW_NAME = auto()
    """The later one has a name that neither the earlier one nor the question has."""
    NAME_LOST = auto()
    """The share of the names asked in the earlier one that the later one does not have."""
    SAME_VALUE = auto()
    """The later one has the same value of that type again, no other, and no word for a change."""
    NO_VALUE = auto()
    """The earlier one has a value of a type that is asked for, the later one has none."""
    LOSES_VALUE = auto()
    """The earlier one has a value of a type that is not asked for, or a place, the later one has none, and there is no
    word for a change."""
    FIGURES = auto()
    """The earlier one has figures,"""
    NEW_FIGURES = auto()
    """the later one has others,"""
    SAME_FIGURES = auto()
    """and the same."""
    OTHER_FIGURES = auto()
    """Both have figures, and the later one has others."""
    SEVERAL = auto()
    """The question may have several answers, and neither has a word for a change or a doubt."""
    STILL = auto()
    """The question asks what still holds, and may have one answer only."""
    WORDING = auto()
    """The log odds, by the wording of both and of the question, that the later one takes the earlier one's place."""


Signs: TypeAlias = Mapping[Sign, Floats | Flags]
"""For each pair, or for each later or earlier one."""
