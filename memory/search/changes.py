"""Which passages the user has retracted or changed later. Pure.

Only passages that are selected for one question are compared, because the question narrows what can differ. They are
compared with each other, and with later ones that share rare words with them. For each pair, a small neural network
estimates from its features (``pairs.py``) how likely it is that the later passage has changed the earlier one.
``benchmarks/memory_quality/fitting.py`` trains it with invented statements.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Final

import numpy as np

from memory.search.bm25 import Floats, Integers, among, greatest, run_begins
from memory.search.index import ExchangeIndex
from memory.search.kinds import Kind, has_any_bit
from memory.search.matching import QueryTerm
from memory.search.pair_features import PairFeature
from memory.search.pairs import Pairs, rarity_of

PATH: Final = Path(__file__).with_name("changes.npz")
_PERHAPS: Final = -1.8
"""With higher log odds, a passage is noted as perhaps changed."""
_SURE: Final = -0.4
"""With higher log odds, a passage is left out if the later one can answer the question in its place."""
_SURE_WITHOUT_ANSWER: Final = 0.3
"""With higher log odds, a passage is left out even if the later one cannot answer the question."""
_MISTAKE_ODDS: Final = 2.0
"""The minimum log odds if the next message admits a mistake and has another number, time or the like: “I misread it:
6009”."""
_CORRECTION_ODDS: Final = -0.5
"""As ``_MISTAKE_ODDS``, if the next message only begins like a correction: “hang on”, “scusa”."""
_DELETION_ODDS: Final = 3.0
"""The log odds of a statement about a row that was deleted."""
_PASTED_ODDS: Final = -4.2
"""Added in pasted chats, because people who talk to each other repeat themselves, in thanks and compliments."""
_MIN_RARITY: Final = 0.3
"""The minimum total rarity of the words that a pair shares; 1 is that of a word that occurs once."""
_CHECKED: Final = 15
"""The number of selected passages for which further later passages are searched."""
_MAX_FURTHER: Final = 10
"""The number of further later passages that are compared."""
_MIN_TERM_RARITY: Final = 0.45
"""The minimum rarity of a word by which further passages are found."""
_MIN_FURTHER_RARITY: Final = 0.8
"""The minimum total rarity of the words that a further passage shares with a selected one."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """A passage was changed, first at ``since``. ``by`` is the passage that most likely changed it.

    If it is not ``sure``, the change is only a possibility.
    """

    since: datetime
    by: int
    sure: bool


class Network:
    """A network with one hidden layer, with the weights in the file at ``PATH``, which is read on first use."""

    def log_odds(self, features: Floats) -> Floats:
        """The log odds of a change, for pairs (row) by their features (column)."""
        weights = self._weights
        values = np.clip(features, weights["least"], weights["most"])
        inner = np.tanh(values @ weights["inner"] + weights["inner_bias"])
        found: Floats = inner @ weights["outer"] + weights["outer_bias"]
        return found

    @cached_property
    def _weights(self) -> dict[str, Floats]:
        with np.load(PATH) as arrays:
            return dict(arrays)


_NETWORK: Final = Network()


def find_changes(
    index: ExchangeIndex, passages: Iterable[int], scores: Floats, terms: Sequence[QueryTerm], question: str
) -> dict[int, Change]:
    """The changes of ``passages`` by later ones.

    ``passages`` are in the order of their scores, ``scores`` has those of all passages, and ``terms`` are the words of
    ``question``. Answers of the assistant change nothing, and long answers are not compared.
    """
    candidates = candidate_pairs(index, passages, scores, terms, question)
    if candidates is None:
        return {}
    earlier, pairs = candidates
    log_odds = _log_odds(pairs)
    is_possible = log_odds > _PERHAPS
    if not is_possible.any():
        return {}
    is_sure = pairs.can_be_sure() & (log_odds > np.where(pairs.is_answer(), _SURE, _SURE_WITHOUT_ANSWER))
    found = {}
    for row in np.flatnonzero(is_possible.any(axis=1)).tolist():
        sure = bool(is_sure[row].any())
        # It may have changed more than once, and held until the first time.
        columns = np.flatnonzero((is_sure if sure else is_possible)[row])
        since = min(map(index.time_at, index.passage_exchanges()[pairs.later[columns]].tolist()))
        likeliest = columns[np.argmax(log_odds[row, columns])]
        found[earlier[row]] = Change(since=since, by=int(pairs.later[likeliest]), sure=sure)
    return found


def candidate_pairs(
    index: ExchangeIndex, passages: Iterable[int], scores: Floats, terms: Sequence[QueryTerm], question: str
) -> tuple[list[int], Pairs] | None:
    """The passages that may have changed, and their pairs with later ones; None if there are none."""
    selected = np.array(list(passages), np.intp)
    selected = selected[~has_any_bit(index.layout().kinds[selected], Kind.LONG_ANSWER)]
    if not len(selected):
        return None
    earlier: list[int] = selected.tolist()
    later = dict.fromkeys((*earlier, *_further_passages(index, selected), *_corrections(index, selected)))
    compared = np.array(list(later), np.intp)
    relative = scores[compared] / np.float32(float(scores.max(initial=0.0)) or 1.0)
    return earlier, Pairs(index, compared, len(earlier), relative, terms, question)


def _log_odds(pairs: Pairs) -> Floats:
    """The log odds that the later passage of each pair has changed the earlier one."""
    found = np.full(pairs.shape, -np.inf, np.float32)
    can_change = pairs.can_change()
    if not can_change.any():
        return found
    features = pairs.features()
    # This excludes half of all pairs, and hardly any that are likely.
    is_similar = (features[PairFeature.RARITY] > _MIN_RARITY) | pairs.corrects | pairs.deletes
    rows, columns = np.nonzero(can_change & is_similar)
    values = features[:, rows, columns].T
    log_odds = _NETWORK.log_odds(values)
    # Only few pairs are likely even with the maximum of ``WORDING``. The network need not be monotonic in it, but
    # nearly is.
    candidates = np.flatnonzero(log_odds > _PERHAPS)
    for candidate in candidates.tolist():
        values[candidate, PairFeature.WORDING] = pairs.wording(int(rows[candidate]), int(columns[candidate]))
    log_odds[candidates] = _NETWORK.log_odds(values[candidates])
    found[rows, columns] = log_odds
    found += np.float32(_PASTED_ODDS) * pairs.in_pasted_chats()
    found[pairs.deletes & (found > -np.inf)] = _DELETION_ODDS
    # This is slow to compute and can only rule a change out, so it is done for likely pairs.
    for row, column in np.argwhere(found > _PERHAPS).tolist():
        if pairs.is_of_other(row, column):
            found[row, column] = -np.inf
    for row, column in np.argwhere(pairs.corrects & (found > -np.inf)).tolist():
        if pairs.values_differ(row, column):
            least = _MISTAKE_ODDS if pairs.admits_mistake(column) else _CORRECTION_ODDS
            found[row, column] = max(found[row, column], least)
    return found


def _further_passages(index: ExchangeIndex, selected: Integers) -> list[int]:
    """Later passages of the user's, not among ``selected``, that share rare words with the first of these."""
    layout, times = index.layout(), index.times()
    earlier = selected[~has_any_bit(layout.kinds[selected], Kind.ANSWER)][:_CHECKED]
    if not len(earlier):
        return []
    terms, which = index.terms_in(earlier.tolist())
    rarity = rarity_of(index, terms)
    is_rare = rarity >= _MIN_TERM_RARITY
    terms, which, rarity = terms[is_rare], which[is_rare], rarity[is_rare]
    passage, term, _ = index.occurrences_of(terms.tolist())
    is_later = times[layout.passage_exchanges[passage]] > times[layout.passage_exchanges[earlier]][which[term]]
    is_allowed = ~has_any_bit(layout.kinds, Kind.ANSWER)
    is_allowed[selected] = False
    kept = np.flatnonzero(is_later & is_allowed[passage])
    if not len(kept):
        return []
    term = term[kept]
    pairs = passage[kept] * len(earlier) + which[term]
    order = np.argsort(pairs, kind="stable")
    pairs = pairs[order]
    begins = run_begins(pairs)
    total = np.add.reduceat(rarity[term[order]], begins)
    later = pairs[begins] // len(earlier)
    firsts = run_begins(later)
    later, best = later[firsts], np.maximum.reduceat(total, firsts)
    return [int(later[each]) for each in greatest(best, _MAX_FURTHER) if best[each] >= _MIN_FURTHER_RARITY]


def _corrections(index: ExchangeIndex, selected: Integers) -> list[int]:
    """The passages that may correct a statement in the exchange before, if a passage of that is ``selected``."""
    corrections = np.flatnonzero(index.of_kind(Kind.CORRECTS))
    if not len(corrections):
        return []
    layout = index.layout()
    exchanges = layout.passage_exchanges[selected].tolist()
    follows = among(layout.before[layout.passage_exchanges[corrections]], exchanges)
    found: list[int] = corrections[follows].tolist()
    return found[-_MAX_FURTHER:]
