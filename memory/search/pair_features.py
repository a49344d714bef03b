"""The features by which a network judges whether a later passage has changed an earlier one. Pure."""

from collections.abc import Mapping
from enum import IntEnum, auto
from typing import Final, TypeAlias

from memory.search.bm25 import Flags, Floats

MAX_WORDING: Final = 2.5
"""The bound of ``PairFeature.WORDING``, positive and negative."""


class PairFeature(IntEnum):
    """A feature of a pair of passages and a question. Its value is its row in the input of the network."""

    RARITY = 0
    """How rare the shared words are, less what long passages share by coincidence."""
    UNASKED_RARITY = auto()
    """How rare the shared words are that are not in the question."""
    DICE = auto()
    """The share of the words of both passages that are in both (Dice coefficient)."""
    SHARES_WORD = auto()
    """Both have a word in common, other than one for a time."""
    LENGTH = auto()
    """The logarithm of the geometric mean of both lengths in words."""
    EARLIER_LENGTH = auto()
    LATER_LENGTH = auto()
    SHARED_OF_EARLIER = auto()
    """The share of the earlier passage's words that the later one has."""
    SHARED_OF_LATER = auto()
    """The share of the later passage's words that the earlier one has and the question does not."""
    ASKED = auto()
    """The share of the question's words that the later passage has."""
    ASKED_ONLY_LATER = auto()
    """The share of the question's words that the later passage has and the earlier one does not."""
    TOPIC = auto()
    """The share, by rarity, of the question's words in the earlier passage that the later one has."""
    LATER_SCORE = auto()
    """The score of the later passage, divided by the best one."""
    LATER_RANK = auto()
    """The logarithm of the number of passages with a better score than the later one."""
    SAYS_CHANGE = auto()
    """The later passage has a word of change, or mentions that something in the earlier passage or the question is new.
    """
    GIVES_REASON = auto()
    """The later passage is of this kind, as for the next five."""
    DECIDES = auto()
    NEGATES = auto()
    OF_ONE_DAY = auto()
    STAYS = auto()
    CLAUSES = auto()
    PASSING = auto()
    """The later passage is about the day or week on which it was said, the earlier one is not, and there is no word of
    change."""
    MENTIONED = auto()
    """How rare the words of the earlier passage are, besides the question's, that a later one with a word of change or
    a reason repeats."""
    OTHER_TOPIC = auto()
    """How much of the earlier passage a later one with a word of change does not mention."""
    DENIED = auto()
    """``TOPIC``, if the later passage is negative and the earlier one is not."""
    NOTHING_SAID = auto()
    """The later passage repeats nothing that the earlier one says, has no other value, and no word of change."""
    OTHER_VALUE = auto()
    """The later passage has another value of a type that the question asks for."""
    OTHER_NAME = auto()
    """The question asks for a name, and both have only different ones."""
    NEW_NAME = auto()
    """The later passage has a name that neither the earlier one nor the question has."""
    LOST_NAMES = auto()
    """The share of the question's names in the earlier passage that the later one does not have."""
    SAME_VALUE = auto()
    """The later passage repeats the value of the type that the question asks for, has no other, and no word of change.
    """
    NO_VALUE = auto()
    """The earlier passage has a value of a type that the question asks for, the later one has none."""
    LOSES_VALUE = auto()
    """The earlier passage has a place, or a value of a type that the question does not ask for, the later one has none,
    and there is no word of change."""
    FIGURES = auto()
    """The earlier passage has figures."""
    NEW_FIGURES = auto()
    """The later passage has figures that the earlier one does not have."""
    SAME_FIGURES = auto()
    """Both have the same figures."""
    OTHER_FIGURES = auto()
    """Both have figures, and the later passage has others."""
    SEVERAL_ANSWERS = auto()
    """The question may have several answers, and there is no word of change or doubt."""
    ASKS_STILL = auto()
    """The question asks what still holds, and has one answer."""
    WORDING = auto()
    """The log odds, by the wording of both passages and of the question, that the later one replaces the earlier one.
    """


FeatureValues: TypeAlias = Mapping[PairFeature, Floats | Flags]
"""Values of features: for each pair, or for each earlier (column) or later (row) passage."""
