"""Which passages of a user's exchanges a model is given for a question, within a budget of characters. Pure.

Each weight below was chosen on one half of conversations of LoCoMo and BEAM and checked on the other half
(``docs/memory.md`` has the figures with and without each signal, and how to measure again).
"""

import json
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final
from uuid import UUID

import numpy as np

from memory.search.bm25 import Floats
from memory.search.dates import asked_spans
from memory.search.index import ExchangeIndex, Kind, Matches, Passage
from memory.search.words import folded, words_of

JOINT: Final = " … "
"""Between passages of one side."""
ANSWER: Final = " → "
"""Between what was said and what was answered."""
_ASKS_FOR_ANSWERS: Final = re.compile(
    r"\b(?:(?:did|have|had|were) you|you(?:'ve)? (?:just |already )?"
    r"(?:said|told|suggested|recommended|advised|explained|gave|wrote|proposed|mentioned|listed)|"
    r"(?:hai|avevi) (?:gia )?(?:detto|consigliato|suggerito|proposto|spiegato|scritto|elencato|raccomandato))\b"
)
_SHORT: Final = 16
"""Added to every length, so that the shortest passages are not the most valuable ones."""
_DATED: Final = 16
"""The characters of an item besides its passage: the date, the quotes, what separates it from the next."""
_BETWEEN: Final = len(JOINT)
_CANDIDATES: Final = 200
_MISFITS: Final = 15
"""After so many passages that do not fit into what is left of the budget it counts as full."""
_ALIKE: Final = 0.85
"""The share of common words above which two passages say the same."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Weights:
    """What each signal counts; every score is scaled to its best before.

    ``floor`` is the coverage (``Matches``) under which nothing is told, and ``least`` the share of the best passage's
    value under which a passage is not.
    """

    passage: float = 0.7
    exchange: float = 0.6
    neighbourhood: float = 0.5
    conversation: float = 0.3
    vector: float = 0.2
    long_answer: float = 0.4
    opening: float = 0.3
    instruction: float = 0.4
    novelty: float = 0.3
    named_day: float = 0.8
    said_then: float = 0.5
    length_exponent: float = 0.4
    floor: float = 0.17
    least: float = 0.15


WEIGHTS: Final = Weights()


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """What is asked. ``now`` is in the user's time zone; ``budget`` is how many characters of JSON may be told.

    ``vectors`` has the similarity (0 to 1) of exchanges by the meaning of their summaries, where that is known.
    """

    text: str
    now: datetime
    language: str = "en"
    budget: int = 6_000
    vectors: Mapping[UUID, float] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Told:
    """Passages of one exchange, dated, and the names of the signals that brought them, the strongest first."""

    id: UUID
    text: str
    why: tuple[str, ...] = ()


def recalled(index: ExchangeIndex, question: Question, weights: Weights = WEIGHTS) -> list[Told]:
    """What is worth telling, oldest first; nothing if nothing fits the question."""
    if not len(index):
        return []
    matches = index.match(index.question_stems(question.text, question.language))
    days = _days(index, question, weights)
    if matches.coverage < weights.floor and days.max(initial=0.0) < weights.said_then:
        return []
    scores = _scores(index, matches, question, weights) + days
    return _told(index, _chosen(index, scores, question, weights))


def _days(index: ExchangeIndex, question: Question, weights: Weights) -> Floats:
    """What each passage is worth because of the days that the question names."""
    spans = asked_spans(question.text, question.now.date())
    if not spans:
        return np.zeros(len(index.passage_places()), np.float32)
    said_then = index.said_within(spans)[index.passage_places()]
    return weights.named_day * index.naming(spans) + weights.said_then * said_then


def _scores(index: ExchangeIndex, matches: Matches, question: Question, weights: Weights) -> Floats:
    """The value of each passage by its words."""
    places = index.passage_places()
    exchanges = _scaled(matches.exchanges)
    of_exchange = (
        weights.exchange * exchanges
        + weights.neighbourhood * _scaled(matches.neighbourhoods)
        + weights.conversation * _scaled(matches.conversations)
    )
    for row_id, similarity in question.vectors.items():
        if (place := index.place_of(row_id)) is not None:
            of_exchange[place] += weights.vector * similarity
    scores = weights.passage * _scaled(matches.passages) + of_exchange[places]
    if not _ASKS_FOR_ANSWERS.search(folded(question.text)):
        scores[index.kinds(Kind.LONG_ANSWER)] *= weights.long_answer
    opening, instruction = index.kinds(Kind.OPENING), index.kinds(Kind.INSTRUCTION)
    scores[opening] += weights.opening * exchanges[places[opening]]
    scores[instruction] += weights.opening * (exchanges[places[instruction]] + weights.instruction)
    valued: Floats = scores * (1 + weights.novelty * index.novelty())[places]
    return valued


def _scaled(scores: Floats) -> Floats:
    best = float(scores.max(initial=0.0))
    return scores / best if best else scores


def _chosen(index: ExchangeIndex, scores: Floats, question: Question, weights: Weights) -> list[int]:
    """The numbers of the passages that fit into the budget, by value per length."""
    found = np.flatnonzero(scores > weights.least * scores.max(initial=0.0))
    lengths = index.passage_lengths()[found]
    value = scores[found] / (lengths + _SHORT) ** weights.length_exponent
    left, misfits = question.budget, 0
    told, chosen, said = set[int](), list[int](), list[frozenset[str]]()
    order = np.argsort(-value)[:_CANDIDATES]
    for number, length in zip(found[order].tolist(), lengths[order].tolist(), strict=True):
        if misfits > _MISFITS:
            break
        # Encoded it is no shorter, but for white space around it.
        if length > left + _DATED:
            misfits += 1
            continue
        passage = index.passage(number)
        cost = encoded_length(passage.text) + (_BETWEEN if passage.exchange in told else _DATED)
        if cost > left:
            misfits += 1
            continue
        words = frozenset(words_of(passage.text))
        if any(_same(words, other) for other in said):
            continue
        said.append(words)
        chosen.append(number)
        told.add(passage.exchange)
        left -= cost
    return chosen


def _same(words: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two passages say the same."""
    one, two = len(words), len(other)
    if one < _ALIKE * two or two < _ALIKE * one:
        return False
    return len(words & other) >= _ALIKE * len(words | other)


def _told(index: ExchangeIndex, chosen: Sequence[int]) -> list[Told]:
    parts: defaultdict[int, list[Passage]] = defaultdict(list)
    for number in sorted(chosen):
        passage = index.passage(number)
        parts[passage.exchange].append(passage)
    told = []
    for place in sorted(parts, key=lambda place: index.said(place).at):
        said = index.said(place)
        sides = [JOINT.join(each.text for each in parts[place] if each.answered is side) for side in (False, True)]
        told.append(Told(id=said.id, text=f"{said.at:%Y-%m-%d}: " + ANSWER.join(side for side in sides if side)))
    return told


def encoded_length(text: str) -> int:
    """The characters of ``text`` in the JSON that a model is given, without quotes."""
    return len(json.dumps(text, ensure_ascii=False)) - 2 + 5 * sum(map(text.count, "<>&"))
