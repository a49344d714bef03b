"""Selection of ranked passages within a budget of characters, without duplicates. Pure."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from memory.search.bm25 import Floats, greatest
from memory.search.changes import Change
from memory.search.exchanges import Passage
from memory.search.index import ExchangeIndex
from memory.search.kinds import Kind
from memory.search.snippets import NOTE_CHARS, PASSAGE_SEPARATOR, encoded_length
from memory.search.weights import Weights
from memory.search.words import language_of, stems_of, words_of

_LENGTH_OFFSET: Final = 16
"""Added to each length, so that the ratio of score to length does not favour the shortest passages."""
_OVERHEAD: Final = 16
"""The characters of an item besides its passage: the date, the quotes and the separator."""
_SEPARATOR: Final = len(PASSAGE_SEPARATOR)
_CANDIDATES: Final = 200
_MAX_MISFITS: Final = 15
"""After this many passages that do not fit, the budget counts as spent."""
_CONTRARY: Final = Kind.NEGATES | Kind.SAYS_CHANGE
_DUPLICATE: Final = 0.85
"""Two passages are duplicates if they share this part of their terms (Dice coefficient)."""


class ReservedText(NamedTuple):
    """A text that shares the budget with the passages. Its ``chars`` are released once an exchange's passages contain
    all of its words.
    """

    text: str
    chars: int


class Budget:
    """The characters that are ``left`` of ``chars``, and those that are ``reserved`` for other texts."""

    def __init__(self, index: ExchangeIndex, chars: int, reserved: Sequence[ReservedText], spoken: str) -> None:
        found = [(_terms_of(index, each.text, spoken), each.chars) for each in reserved]
        # No passage contains a text with a word that is not in the index. One word (“My name is Will”) proves little.
        self._held = [(terms, chars) for terms, chars in found if len(terms) > 1]
        self.reserved = sum(each.chars for each in reserved)
        self.left = chars - self.reserved

    def spend(self, chars: int, terms: frozenset[int]) -> None:
        """Spend ``chars`` on a passage. ``terms`` are those of all selected passages of its exchange, which release the
        reserved texts that they contain.
        """
        released = sum(freed for each, freed in self._held if each <= terms)
        if released:
            self._held = [(each, freed) for each, freed in self._held if not each <= terms]
        self.reserved -= released
        self.left += released - chars


def _terms_of(index: ExchangeIndex, text: str, spoken: str) -> frozenset[int]:
    """The terms of ``text`` in the first language in which the index has all of its words; empty if there is none.

    The text may be too short to recognize its language. ``spoken`` is the user's.
    """
    words = words_of(text)
    for language in dict.fromkeys((language_of(words, spoken), *index.languages)):
        stems = set(stems_of(words, language))
        terms = index.terms_of(stems)
        if len(terms) == len(stems):
            return frozenset(terms)
    return frozenset()


class _DistinctTexts:
    """A set of texts without duplicates, as ``_DUPLICATE`` defines them.

    Sort the terms of all texts in one order. Then duplicates share one of their first terms (prefix filtering,
    Chaudhuri et al., 2006), so each text is compared with few others.
    """

    def __init__(self) -> None:
        self._by_term: defaultdict[int, list[frozenset[int]]] = defaultdict(list)

    def add(self, terms: frozenset[int]) -> bool:
        """Add a text by its terms. Returns False if it duplicates another one."""
        # Terms with higher numbers are rarer.
        prefix = sorted(terms, reverse=True)[: int(len(terms) * (1 - _DUPLICATE)) + 1]
        for term in prefix:
            for other in self._by_term.get(term, ()):
                # The common terms are at least ``_DUPLICATE`` of all terms of both.
                if len(terms & other) * (1 + _DUPLICATE) >= _DUPLICATE * (len(terms) + len(other)):
                    return False
        for term in prefix:
            self._by_term[term].append(terms)
        return True


def select_passages(
    index: ExchangeIndex, scores: Floats, budget: Budget, weights: Weights, history: str
) -> dict[int, Passage]:
    """The passages that fit into ``budget``, by their numbers, in the order of score per length.

    Passages in ``history`` are left out.
    """
    candidates = np.flatnonzero(scores > weights.least * scores.max(initial=0.0))
    lengths = index.layout().passage_chars[candidates]
    value = scores[candidates] / (lengths + _LENGTH_OFFSET) ** weights.length_exponent
    misfits = 0
    selected, distinct = dict[int, Passage](), _DistinctTexts()
    terms_of_exchange: dict[int, frozenset[int]] = {}
    """The terms of the selected passages of each exchange."""
    order = greatest(value, _CANDIDATES)
    kinds = index.layout().kinds[candidates[order]] & np.uint32(_CONTRARY)
    for number, length, kind in zip(candidates[order].tolist(), lengths[order].tolist(), kinds.tolist(), strict=True):
        if misfits > _MAX_MISFITS:
            break
        # Encoding shortens no text, except for white space around it.
        if length > budget.left + _OVERHEAD:
            misfits += 1
            continue
        passage = index.passage(number)
        is_first = passage.exchange not in terms_of_exchange
        cost = encoded_length(passage.text) + (_OVERHEAD if is_first else _SEPARATOR)
        if cost > budget.left:
            misfits += 1
            continue
        if history and passage.text in history:
            continue
        terms = frozenset(index.term_list(number))
        # “I'm vegan” and “I'm not vegan any more” have the same words.
        if not distinct.add(terms | {-kind} if kind else terms):
            continue
        selected[number] = passage
        terms_of_exchange[passage.exchange] = terms_of_exchange.get(passage.exchange, frozenset()) | terms
        budget.spend(cost, terms_of_exchange[passage.exchange])
    return selected


def trim_for_notes(selected: dict[int, Passage], changes: Mapping[int, Change], chars: int) -> None:
    """Remove the passages selected last until ``selected`` and the notes of ``changes`` fit into ``chars``."""
    exchanges = {passage.exchange for passage in selected.values()}
    used = _SEPARATOR * (len(selected) - len(exchanges)) + _OVERHEAD * len(exchanges) + NOTE_CHARS * len(changes)
    used += sum(encoded_length(passage.text) for passage in selected.values())
    while used > chars and selected:
        number, passage = selected.popitem()
        used -= encoded_length(passage.text) + _SEPARATOR + NOTE_CHARS * (number in changes)
