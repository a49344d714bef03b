"""BM25 (Robertson and Zaragoza, 2009), and what it needs of all exchanges together. Pure."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np

# ``np.unique`` imports it when it is first called, which would hold up the first recall and everything else.
import numpy.ma
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float32]
Integers: TypeAlias = NDArray[np.intp]
Flags: TypeAlias = NDArray[np.bool_]

K1: Final = 1.2
B: Final = 0.75


@dataclass(frozen=True, kw_only=True, slots=True)
class Layout:
    """What is computed of all exchanges together; it holds until the next change.

    ``passages`` and ``conversations`` are how many there are without what was removed.
    ``before`` and ``after`` are each exchange's neighbours in its conversation, the number of exchanges for none.
    """

    passages: int
    conversations: int
    of_passage: Integers
    passage_chars: Floats
    kinds: NDArray[np.uint32]
    alive: Flags
    before: Integers
    after: Integers
    conversation: Integers
    passage_weights: Floats
    passage_norms: Floats
    exchange_norms: Floats
    conversation_norms: Floats


def lay_out(
    *,
    of_passage: Integers,
    lengths: Floats,
    chars: Floats,
    kinds: NDArray[np.uint32],
    weights: Floats,
    alive: Flags,
    conversation: Integers,
    times: NDArray[np.float64],
) -> Layout:
    """The layout of passages with the exchanges' places, their lengths in words and characters, their kinds, and
    what an occurrence in each counts; and of exchanges with their conversation and time. Those that are not ``alive``
    count nowhere.
    """
    count = len(alive)
    of_living = alive[of_passage]
    lengths = lengths * of_living
    order = np.flatnonzero(alive)
    order = order[np.lexsort((times[order], conversation[order]))]
    before, after = np.full(count, count), np.full(count, count)
    in_order = conversation[order]
    adjacent = in_order[1:] == in_order[:-1]
    before[order[1:][adjacent]] = order[:-1][adjacent]
    after[order[:-1][adjacent]] = order[1:][adjacent]
    of_exchange = np.bincount(of_passage, lengths * weights, minlength=count)
    return Layout(
        passages=int(np.count_nonzero(of_living)),
        conversations=len(order) - int(np.count_nonzero(adjacent)),
        of_passage=of_passage,
        passage_chars=chars,
        kinds=kinds,
        alive=alive,
        before=before,
        after=after,
        conversation=conversation,
        passage_weights=weights,
        passage_norms=_norms(lengths),
        exchange_norms=_norms(of_exchange),
        conversation_norms=_norms(np.bincount(conversation, of_exchange)),
    )


def idf(count: int, occurring: int) -> float:
    """The weight of a word that occurs in ``occurring`` of ``count`` texts."""
    return math.log1p((count - min(occurring, count) + 0.5) / (occurring + 0.5))


def idfs(count: int, occurring: Integers) -> Floats:
    """As ``idf``, of many words."""
    found: Floats = np.log1p((count - np.minimum(occurring, count) + 0.5) / (occurring + 0.5)).astype(np.float32)
    return found


def _norms(lengths: NDArray[Any]) -> Floats:
    # Those that are not empty; none is negative.
    count = np.count_nonzero(lengths)
    average = float(lengths.sum()) / count if count else 1.0
    return (K1 * (1 - B + B * lengths / average)).astype(np.float32)


def run_begins(values: Integers) -> Integers:
    """Where another value begins than the one before."""
    is_new = np.ones(len(values), np.bool_)
    np.not_equal(values[1:], values[:-1], out=is_new[1:])
    return np.flatnonzero(is_new)


def runs(values: Integers) -> tuple[Integers, Integers]:
    """As ``run_begins``, and how long each run of the same value is."""
    begins = run_begins(values)
    lengths = np.empty_like(begins)
    np.subtract(begins[1:], begins[:-1], out=lengths[:-1])
    lengths[-1:] = len(values) - begins[-1:]
    return begins, lengths


def among(numbers: Integers, wanted: Sequence[int]) -> Flags:
    """Whether each of ``numbers``, none of which is negative, is ``wanted``. ``np.isin`` takes ten times as long."""
    is_wanted = np.zeros(max(int(numbers.max(initial=0)), *wanted, 0) + 1, np.bool_)
    is_wanted[wanted] = True
    found: Flags = is_wanted[numbers]
    return found


def greatest(values: Floats, count: int) -> list[int]:
    """The places of at most ``count`` values, the greatest first."""
    places = np.arange(len(values)) if len(values) <= count else np.argpartition(-values, count)[:count]
    ordered: list[int] = places[np.argsort(-values[places])].tolist()
    return ordered
