"""Snippets for the prompt: the recalled passages of each exchange, dated, superseded ones left out or noted. Pure."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from json.encoder import encode_basestring
from operator import attrgetter
from typing import Final
from uuid import UUID

import numpy as np

from memory.search.bm25 import Floats
from memory.search.changes import Change
from memory.search.exchanges import Passage
from memory.search.index import ExchangeIndex

PASSAGE_SEPARATOR: Final = " … "
"""Between two passages of a message, or of an answer."""
ANSWER_SEPARATOR: Final = " → "
"""Between a message and its answer."""
NOTE_CHARS: Final = len(" (perhaps no longer true since 2026-01-01)")
_MIN_SIGNAL: Final = 0.15
"""A signal is reported if it contributes more than this share of the strongest signal."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Snippet:
    """The recalled passages of one exchange, dated, and the names of the signals that selected them, strongest first.

    ``superseded`` has the texts of the passages that a later one has changed. ``text`` excludes those that certainly
    changed, unless the question is about the past, and is empty if nothing else remains.
    """

    id: UUID
    at: datetime
    text: str
    why: tuple[str, ...] = ()
    superseded: tuple[tuple[str, Change], ...] = ()


def snippets(
    index: ExchangeIndex,
    selected: Mapping[int, Passage],
    signals: Mapping[str, Floats],
    changes: Mapping[int, Change],
    *,
    about_past: bool,
) -> list[Snippet]:
    """The ``selected`` passages by exchange, oldest first.

    ``signals`` has the contribution of each signal to the score of each passage. ``about_past``: whether the question
    is about the past.
    """
    by_exchange: defaultdict[int, list[int]] = defaultdict(list)
    for number in sorted(selected):
        by_exchange[selected[number].exchange].append(number)
    if not by_exchange:
        return []
    found = []
    for position, why in zip(by_exchange, _strongest_signals(signals, by_exchange), strict=True):
        at, numbers = index.time_at(position), by_exchange[position]
        if changes.keys().isdisjoint(numbers):
            text = _dated(at, [selected[number] for number in numbers])
            found.append(Snippet(id=index.id_at(position), at=at, text=text, why=why))
            continue
        kept = numbers if about_past else _without_superseded(selected, numbers, changes)
        text = _dated(at, [_noted(selected[number], changes.get(number), at) for number in kept]) if kept else ""
        superseded = tuple((selected[number].text, changes[number]) for number in numbers if number in changes)
        found.append(Snippet(id=index.id_at(position), at=at, text=text, why=why, superseded=superseded))
    return sorted(found, key=attrgetter("at"))


def _without_superseded(
    selected: Mapping[int, Passage], numbers: Sequence[int], changes: Mapping[int, Change]
) -> list[int]:
    """The passages of an exchange without those that certainly changed, and without the answer to these."""
    superseded = {number for number in numbers if (change := changes.get(number)) and change.sure}
    without_answer = any(not selected[number].is_answer for number in superseded)
    return [
        number for number in numbers if number not in superseded and not (without_answer and selected[number].is_answer)
    ]


def _noted(passage: Passage, change: Change | None, at: datetime) -> Passage:
    """``passage`` with a note if it was changed later."""
    if change is None:
        return passage
    since = f"{change.since.astimezone(at.tzinfo):%Y-%m-%d}"
    return passage._replace(text=f"{passage.text} ({'' if change.sure else 'perhaps '}no longer true since {since})")


def _dated(at: datetime, passages: Sequence[Passage]) -> str:
    message = PASSAGE_SEPARATOR.join([each.text for each in passages if not each.is_answer])
    answer = PASSAGE_SEPARATOR.join([each.text for each in passages if each.is_answer])
    return f"{at.date().isoformat()}: {message}{ANSWER_SEPARATOR if message and answer else ''}{answer}"


def _strongest_signals(
    signals: Mapping[str, Floats], by_exchange: Mapping[int, Sequence[int]]
) -> list[tuple[str, ...]]:
    """For each exchange, the signals that selected its passages, strongest first."""
    lengths = list(map(len, by_exchange.values()))
    passages = np.fromiter(chain.from_iterable(by_exchange.values()), np.intp, sum(lengths))
    begins = np.cumsum([0, *lengths[:-1]])
    strengths = np.maximum.reduceat([values[passages] for values in signals.values()], begins, axis=1).T
    orders = np.argsort(-strengths, axis=1, kind="stable").tolist()
    counts = (strengths > _MIN_SIGNAL * strengths.max(axis=1, keepdims=True)).sum(axis=1).tolist()
    names = list(signals)
    return [tuple(names[each] for each in order[:count]) for order, count in zip(orders, counts, strict=True)]


def encoded_length(text: str) -> int:
    """The length of ``text`` in characters in the JSON of the prompt, without quotes."""
    return len(encode_basestring(text)) - 2 + 5 * (text.count("<") + text.count(">") + text.count("&"))
