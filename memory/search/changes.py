"""Which passages someone has taken back or changed later. Pure.

Only passages that are about to be told for one question are compared: what it asks narrows what can differ. They are
compared with each other, and with later ones that have rare words of theirs (``_further``). Of each pair a small neural
network says by its signs (``change_signs.py``) how likely it is that the later one has changed the earlier one.
``benchmarks/memory_quality/fitting.py`` makes it of what people might say, and say later.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Final

import numpy as np

from memory.search.bm25 import Floats, Integers, among, greatest, run_begins
from memory.search.change_signs import Pairs, rarity_of
from memory.search.index import ExchangeIndex
from memory.search.kinds import Kind, are_of
from memory.search.matching import QueryTerm
from memory.search.signs import Sign

PATH: Final = Path(__file__).with_name("changes.npz")
_LIKELY: Final = -1.8
"""Log odds above which a passage is told with a doubt;"""
_SURE: Final = -0.4
"""above which it no longer holds, if the later one can be an answer in its place;"""
_CERTAIN: Final = 0.3
"""and if it cannot."""
_CORRECTED: Final = 2.0
"""At least, of what is taken back in the next message with another number, time or the like: “I misread it: 6009”,"""
_TURNED_BACK: Final = -0.5
"""“hang on”, “scusa”."""
_DELETED: Final = 3.0
"""Of what was said of a row that was deleted."""
_COPIED: Final = -4.2
"""In a copied chat: people who talk to each other repeat themselves, in thanks and compliments."""
_MIN_IN_COMMON: Final = 0.3
"""How rare the words are, together, that both have, of one that occurs once."""
_LOOKED_UP: Final = 15
"""Of so many passages later ones with their rare words are looked for,"""
_FURTHER: Final = 10
"""and so many of those are compared."""
_RARE_TERM: Final = 0.45
"""How rare such a word is at least, of one that occurs once."""
_ENOUGH_RARE: Final = 0.8
"""How rare all that both have are together."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """That a passage was taken back or changed, first at ``since``, and by what most likely says so; not ``sure``:
    perhaps.
    """

    since: datetime
    by: int
    sure: bool


class Network:
    """One hidden layer with the weights of the file at ``PATH``, which is read on first use."""

    def log_odds(self, signs: Floats) -> Floats:
        """How likely a change is, of pairs (row) by their signs (column)."""
        weights = self._weights
        values = np.clip(signs, weights["least"], weights["most"])
        inner = np.tanh(values @ weights["inner"] + weights["inner_bias"])
        found: Floats = inner @ weights["outer"] + weights["outer_bias"]
        return found

    @cached_property
    def _weights(self) -> dict[str, Floats]:
        with np.load(PATH) as arrays:
            return dict(arrays)


_NETWORK: Final = Network()


def changed(
    index: ExchangeIndex, passages: Iterable[int], scores: Floats, terms: Sequence[QueryTerm], question: str
) -> dict[int, Change]:
    """By their number those of ``passages`` that later ones have changed, since the first of these.

    ``passages`` are in the order of their value, ``scores`` what all passages are worth, ``terms`` the words of
    ``question``. What the assistant says changes nothing; long answers are not compared.
    """
    compared = compared_pairs(index, passages, scores, terms, question)
    if compared is None:
        return {}
    earlier, pairs = compared
    likely = _likely(pairs)
    are_likely = likely > _LIKELY
    if not are_likely.any():
        return {}
    sure = pairs.can_be_sure() & (likely > np.where(pairs.is_answer(), _SURE, _CERTAIN))
    found = {}
    for place in np.flatnonzero(are_likely.any(axis=1)).tolist():
        is_sure = bool(sure[place].any())
        # It may have changed more than once, and held until the first time.
        as_likely = np.flatnonzero((sure if is_sure else are_likely)[place])
        since = min(map(index.said_at, index.passage_places()[pairs.later[as_likely]].tolist()))
        likeliest = as_likely[np.argmax(likely[place, as_likely])]
        found[earlier[place]] = Change(since=since, by=int(pairs.later[likeliest]), sure=is_sure)
    return found


def compared_pairs(
    index: ExchangeIndex, passages: Iterable[int], scores: Floats, terms: Sequence[QueryTerm], question: str
) -> tuple[list[int], Pairs] | None:
    """The passages of which each may be changed, and their pairs with later ones; None if there are none."""
    told = np.array(list(passages), np.intp)
    told = told[~are_of(index.layout().kinds[told], Kind.LONG_ANSWER)]
    if not len(told):
        return None
    earlier: list[int] = told.tolist()
    compared = np.array(list(dict.fromkeys((*earlier, *_further(index, told), *_corrections(index, told)))), np.intp)
    worth = scores[compared] / np.float32(float(scores.max(initial=0.0)) or 1.0)
    return earlier, Pairs(index, compared, len(earlier), worth, terms, question)


def _likely(pairs: Pairs) -> Floats:
    """How likely it is, in log odds, that the later one of each pair has changed the earlier one."""
    found = np.full(pairs.shape, -np.inf, np.float32)
    may_change = pairs.may_change()
    if not may_change.any():
        return found
    signs = pairs.signs()
    # Nearly none with less in common is likely, and half of all have less.
    is_possible = (signs[Sign.RARE] > _MIN_IN_COMMON) | pairs.corrects | pairs.ends
    rows, columns = np.nonzero(may_change & is_possible)
    values = signs[:, rows, columns].T
    odds = _NETWORK.log_odds(values)
    # Few are likely even if their wording speaks for a change as much as it can. A network need not find a pair
    # likelier the more it does, but this one nearly always does.
    may_be_likely = np.flatnonzero(odds > _LIKELY)
    for place in may_be_likely.tolist():
        values[place, Sign.WORDING] = pairs.wording(int(rows[place]), int(columns[place]))
    odds[may_be_likely] = _NETWORK.log_odds(values[may_be_likely])
    found[rows, columns] = odds
    found += np.float32(_COPIED) * pairs.in_copied_chats()
    found[pairs.ends & (found > -np.inf)] = _DELETED
    # What takes longer to compare can only speak against a change: few pairs need it.
    for earlier, later in np.argwhere(found > _LIKELY).tolist():
        if pairs.is_of_another(earlier, later):
            found[earlier, later] = -np.inf
    for earlier, later in np.argwhere(pairs.corrects & (found > -np.inf)).tolist():
        if pairs.differ(earlier, later):
            found[earlier, later] = max(
                found[earlier, later], _CORRECTED if pairs.admits_mistake(later) else _TURNED_BACK
            )
    return found


def _further(index: ExchangeIndex, told: Integers) -> list[int]:
    """Later passages of the user's, not of ``told``, with rare words of the first of these."""
    layout, at = index.layout(), index.times()
    earlier = told[~are_of(layout.kinds[told], Kind.ANSWER)][:_LOOKED_UP]
    if not len(earlier):
        return []
    terms, which = index.terms_in(earlier.tolist())
    rarity = rarity_of(index, terms)
    is_rare = rarity >= _RARE_TERM
    terms, which, rarity = terms[is_rare], which[is_rare], rarity[is_rare]
    number, place, _ = index.occurrences_of(terms.tolist())
    is_later = at[layout.of_passage[number]] > at[layout.of_passage[earlier]][which[place]]
    may_be_it = ~are_of(layout.kinds, Kind.ANSWER)
    may_be_it[told] = False
    kept = np.flatnonzero(is_later & may_be_it[number])
    if not len(kept):
        return []
    place = place[kept]
    pairs = number[kept] * len(earlier) + which[place]
    order = np.argsort(pairs, kind="stable")
    pairs = pairs[order]
    begins = run_begins(pairs)
    together = np.add.reduceat(rarity[place[order]], begins)
    later = pairs[begins] // len(earlier)
    firsts = run_begins(later)
    later, best = later[firsts], np.maximum.reduceat(together, firsts)
    return [int(later[each]) for each in greatest(best, _FURTHER) if best[each] >= _ENOUGH_RARE]


def _corrections(index: ExchangeIndex, told: Integers) -> list[int]:
    """The passages that may correct what was said in the exchange before, one of those of ``told``."""
    corrections = np.flatnonzero(index.kinds(Kind.CORRECTS))
    if not len(corrections):
        return []
    layout = index.layout()
    is_told = among(layout.before[layout.of_passage[corrections]], layout.of_passage[told].tolist())
    found: list[int] = corrections[is_told].tolist()
    return found[-_FURTHER:]
