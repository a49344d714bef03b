"""How passages of exchanges are told: each exchange once, dated, without what has changed or with a note. Pure."""

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

JOINT: Final = " … "
"""Between passages of one side."""
ANSWER: Final = " → "
"""Between what was said and what was answered."""
NOTE_CHARS: Final = len(" (perhaps no longer true since 2026-01-01)")
_MATTERS: Final = 0.15
"""The share of the strongest signal above which another one is said to have brought a passage."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Told:
    """Passages of one exchange, dated, and the names of the signals that brought them, the strongest first.

    ``changed`` are those of them that something said later has changed, with what is known of that. ``text`` does not
    have those of which it is sure, unless the question is about the past, and is empty if that leaves nothing.
    """

    id: UUID
    at: datetime
    text: str
    why: tuple[str, ...] = ()
    changed: tuple[tuple[str, Change], ...] = ()


def told(
    index: ExchangeIndex,
    chosen: Mapping[int, Passage],
    signals: Mapping[str, Floats],
    changes: Mapping[int, Change],
    *,
    past: bool,
) -> list[Told]:
    """The ``chosen`` passages by exchange, oldest first. ``signals`` have what each adds to the value of each passage.

    ``past`` is whether the question is about what was.
    """
    numbers: defaultdict[int, list[int]] = defaultdict(list)
    for number in sorted(chosen):
        numbers[chosen[number].exchange].append(number)
    if not numbers:
        return []
    found = []
    for place, why in zip(numbers, _why(signals, numbers), strict=True):
        at, parts = index.said_at(place), numbers[place]
        if changes.keys().isdisjoint(parts):
            text = _dated(at, [chosen[number] for number in parts])
            found.append(Told(id=index.id_at(place), at=at, text=text, why=why))
            continue
        kept = parts if past else _still_true(chosen, parts, changes)
        text = _dated(at, [_noted(chosen[number], changes.get(number), at) for number in kept]) if kept else ""
        outdated = tuple((chosen[number].text, changes[number]) for number in parts if number in changes)
        found.append(Told(id=index.id_at(place), at=at, text=text, why=why, changed=outdated))
    return sorted(found, key=attrgetter("at"))


def _still_true(chosen: Mapping[int, Passage], parts: Sequence[int], changes: Mapping[int, Change]) -> list[int]:
    """Those of an exchange's passages that may still be true; what was answered to others goes with them."""
    gone = {number for number in parts if (change := changes.get(number)) and change.sure}
    left = [number for number in parts if number not in gone]
    said_gone = any(not chosen[number].answered for number in gone)
    return [number for number in left if not (said_gone and chosen[number].answered)]


def _noted(passage: Passage, change: Change | None, at: datetime) -> Passage:
    """With a note if it was changed later."""
    if change is None:
        return passage
    since = f"{change.since.astimezone(at.tzinfo):%Y-%m-%d}"
    return passage._replace(text=f"{passage.text} ({'' if change.sure else 'perhaps '}no longer true since {since})")


def _dated(at: datetime, passages: Sequence[Passage]) -> str:
    said = JOINT.join([each.text for each in passages if not each.answered])
    answered = JOINT.join([each.text for each in passages if each.answered])
    return f"{at.date().isoformat()}: {said}{ANSWER if said and answered else ''}{answered}"


def _why(signals: Mapping[str, Floats], numbers: Mapping[int, Sequence[int]]) -> list[tuple[str, ...]]:
    """For each exchange the signals that brought its passages, the strongest first."""
    lengths = list(map(len, numbers.values()))
    passages = np.fromiter(chain.from_iterable(numbers.values()), np.intp, sum(lengths))
    begins = np.cumsum([0, *lengths[:-1]])
    strengths = np.maximum.reduceat([values[passages] for values in signals.values()], begins, axis=1).T
    order = np.argsort(-strengths, axis=1, kind="stable").tolist()
    counts = (strengths > _MATTERS * strengths.max(axis=1, keepdims=True)).sum(axis=1).tolist()
    names = list(signals)
    return [tuple(names[place] for place in places[:count]) for places, count in zip(order, counts, strict=True)]


def encoded_length(text: str) -> int:
    """The characters of ``text`` in the JSON that a model is given, without quotes."""
    return len(encode_basestring(text)) - 2 + 5 * (text.count("<") + text.count(">") + text.count("&"))
