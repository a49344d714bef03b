"""Which of the ranked passages are told: as many as fit into a budget of characters, none twice. Pure."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from memory.search.bm25 import Floats, greatest
from memory.search.changes import Change
from memory.search.exchanges import Passage
from memory.search.index import ExchangeIndex
from memory.search.kinds import Kind
from memory.search.told import JOINT, NOTE_CHARS, encoded_length
from memory.search.weights import Weights
from memory.search.words import language_of, stems_of, words_of

_SHORT: Final = 16
"""Added to every length, so that the shortest passages are not the most valuable ones."""
_DATED: Final = 16
"""The characters of an item besides its passage: the date, the quotes, what separates it from the next."""
_BETWEEN: Final = len(JOINT)
_CANDIDATES: Final = 200
_MISFITS: Final = 15
"""After so many passages that do not fit into what is left of the budget it counts as full."""
_CONTRARY: Final = Kind.NEGATES | Kind.SAYS_CHANGE
_ALIKE: Final = 0.85
"""The share of common terms above which two passages say the same."""


class Beside(NamedTuple):
    """What is told beside the passages, unless one of them has all of its words; it takes so many characters."""

    text: str
    chars: int


class Room:
    """The characters that are ``left`` of a budget. ``beside`` is what others take that no passage says as well."""

    def __init__(self, index: ExchangeIndex, budget: int, beside: Sequence[Beside], spoken: str) -> None:
        found = [(_terms_in_its_language(index, each.text, spoken), each.chars) for each in beside]
        # What has a word that never occurs in an exchange is said by none. One word (“My name is Will”) says little.
        self._unsaid = [(terms, chars) for terms, chars in found if len(terms) > 1]
        self.beside = sum(each.chars for each in beside)
        self.left = budget - self.beside

    def take(self, chars: int, terms: frozenset[int]) -> None:
        """Give so much to a passage of an exchange, of which these terms are told now; and back what took room to say
        the same.
        """
        given_back = sum(freed for each, freed in self._unsaid if each <= terms)
        if given_back:
            self._unsaid = [(each, freed) for each, freed in self._unsaid if not each <= terms]
        self.beside -= given_back
        self.left += given_back - chars


def _terms_in_its_language(index: ExchangeIndex, text: str, spoken: str) -> frozenset[int]:
    """The terms of a text in a language in which the index has all of its words; empty if there is none.

    A text may be too short to tell its language. ``spoken`` is the user's.
    """
    words = words_of(text)
    for language in dict.fromkeys((language_of(words, spoken), *index.languages)):
        stems = set(stems_of(words, language))
        terms = index.terms_of(stems)
        if len(terms) == len(stems):
            return frozenset(terms)
    return frozenset()


class _DistinctTexts:
    """Texts of which no two say the same: ``_ALIKE`` of their terms.

    Two that do have one of their first terms in common, in any order of all terms that is the same for both (Chaudhuri
    et al., 2006), so each is compared with few others.
    """

    def __init__(self) -> None:
        self._by_term: defaultdict[int, list[frozenset[int]]] = defaultdict(list)

    def add(self, terms: frozenset[int]) -> bool:
        """Add a text by its terms; False if another one says the same."""
        # Later ones are rarer.
        first = sorted(terms, reverse=True)[: int(len(terms) * (1 - _ALIKE)) + 1]
        for term in first:
            for other in self._by_term.get(term, ()):
                # The common terms are at least ``_ALIKE`` of all terms of both.
                if len(terms & other) * (1 + _ALIKE) >= _ALIKE * (len(terms) + len(other)):
                    return False
        for term in first:
            self._by_term[term].append(terms)
        return True


def chosen_passages(
    index: ExchangeIndex, scores: Floats, room: Room, weights: Weights, history: str
) -> dict[int, Passage]:
    """The passages that there is room for, by value per length, without those of ``history``; with their numbers."""
    found = np.flatnonzero(scores > weights.least * scores.max(initial=0.0))
    lengths = index.layout().passage_chars[found]
    value = scores[found] / (lengths + _SHORT) ** weights.length_exponent
    misfits = 0
    chosen, distinct = dict[int, Passage](), _DistinctTexts()
    said: dict[int, frozenset[int]] = {}
    """The terms of what was chosen of each exchange."""
    order = greatest(value, _CANDIDATES)
    kinds = index.layout().kinds[found[order]] & np.uint32(_CONTRARY)
    for number, length, kind in zip(found[order].tolist(), lengths[order].tolist(), kinds.tolist(), strict=True):
        if misfits > _MISFITS:
            break
        # Encoded it is no shorter, but for white space around it.
        if length > room.left + _DATED:
            misfits += 1
            continue
        passage = index.passage(number)
        cost = encoded_length(passage.text) + (_BETWEEN if passage.exchange in said else _DATED)
        if cost > room.left:
            misfits += 1
            continue
        if history and passage.text in history:
            continue
        terms = frozenset(index.term_list(number))
        # “I'm vegan” and “I'm not vegan any more” have the same words.
        if not distinct.add(terms | {-kind} if kind else terms):
            continue
        chosen[number] = passage
        said[passage.exchange] = said.get(passage.exchange, frozenset()) | terms
        room.take(cost, said[passage.exchange])
    return chosen


def make_room(chosen: dict[int, Passage], changes: Mapping[int, Change], budget: int) -> None:
    """Remove what was chosen last until notes of what was changed fit into the budget, too."""
    exchanges = {passage.exchange for passage in chosen.values()}
    spent = _BETWEEN * (len(chosen) - len(exchanges)) + _DATED * len(exchanges) + NOTE_CHARS * len(changes)
    spent += sum(encoded_length(passage.text) for passage in chosen.values())
    while spent > budget and chosen:
        number, passage = chosen.popitem()
        spent -= encoded_length(passage.text) + _BETWEEN + NOTE_CHARS * (number in changes)
