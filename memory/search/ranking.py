"""Which passages of a user's exchanges a model is given for a question, within a budget of characters. Pure.

Each weight below was chosen on one half of conversations of LoCoMo and BEAM and checked on the other half
(``docs/memory.md`` has the figures with and without each signal, and how to measure again).
"""

import json
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Final, TypeAlias
from uuid import UUID

import numpy as np

from memory.search.bm25 import Floats, greatest
from memory.search.changes import Change, Statement, asks_about_past, changed
from memory.search.dates import asked_spans
from memory.search.index import ExchangeIndex, Kind, Passage, Said
from memory.search.matching import COMMON_COUNTS, Matches, QueryTerm, in_common, match, query_terms
from memory.search.words import folded, language_of, speaker_of, stems_of, words_of

JOINT: Final = " … "
"""Between passages of one side."""
ANSWER: Final = " → "
"""Between what was said and what was answered."""
_ASKS_FOR_ANSWERS: Final = re.compile(
    r"\b(?:(?:did|have|had|were) you|you(?:'ve)? (?:just |already )?"
    r"(?:said|told|suggested|recommended|advised|explained|gave|wrote|proposed|mentioned|listed)|"
    r"(?:hai|avevi) (?:gia )?(?:detto|consigliato|suggerito|proposto|spiegato|scritto|elencato|raccomandato))\b"
)
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False)
_SHORT: Final = 16
"""Added to every length, so that the shortest passages are not the most valuable ones."""
_DATED: Final = 16
"""The characters of an item besides its passage: the date, the quotes, what separates it from the next."""
_BETWEEN: Final = len(JOINT)
_NOTE: Final = len(" (perhaps no longer true since 2026-01-01)")
_CANDIDATES: Final = 200
_MISFITS: Final = 15
"""After so many passages that do not fit into what is left of the budget it counts as full."""
_ALIKE: Final = 0.85
"""The share of common words above which two passages say the same."""
_LEAST_RARE: Final = 0.3
"""How rare a word of a question is at least: its name is in every exchange about something."""
_MATTERS: Final = 0.15
"""The share of the strongest signal above which another one is said to have brought a passage."""


class Signal(StrEnum):
    """Why a passage is worth telling."""

    WORDS = "words"
    NEIGHBOURS = "neighbours"
    CONVERSATION = "conversation"
    MEANING = "meaning"
    DATE = "date"
    PREFERENCE = "preference"


Signals: TypeAlias = Mapping[Signal, Floats]
"""What each signal adds to the value of each passage."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Weights:
    """What each signal counts; every score is scaled to its best before.

    Nothing is told if ``Matches.coverage`` is less than ``floor`` and what the named days count is less than
    ``floor_of_days``; ``least`` is the share of the best passage's value under which a passage is not told.
    """

    passage: float = 0.8
    in_common: float = 0.28
    exchange: float = 0.6
    conversation: float = 0.3
    previous: float = 0.25
    following: float = 0.1
    vector: float = 0.2
    long_answer: float = 0.3
    opening: float = 0.2
    preference: float = 0.2
    any_preference: float = 0.08
    standing: float = 0.3
    novelty: float = 0.4
    speaker: float = 1.0
    named_day: float = 0.8
    said_then: float = 0.5
    length_exponent: float = 0.3
    floor: float = 0.07
    floor_of_days: float = 0.25
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
    """Passages of one exchange, dated, and the names of the signals that brought them, the strongest first.

    ``changed`` are those of them that something said later has changed, with what is known of that. ``text`` does not
    have those of which it is sure, unless the question is about the past, and is empty if that leaves nothing.
    """

    id: UUID
    text: str
    why: tuple[str, ...] = ()
    changed: tuple[tuple[str, Change], ...] = ()


def recalled(index: ExchangeIndex, question: Question, weights: Weights = WEIGHTS) -> list[Told]:
    """What is worth telling, oldest first; nothing if nothing fits the question."""
    if not len(index):
        return []
    terms = query_terms(index, question.text, question.language)
    matches = match(index, terms)
    days = _days(index, question, weights)
    if matches.coverage < weights.floor and days.max(initial=0.0) < weights.floor_of_days:
        return []
    signals = {**_signals(index, terms, matches, question, weights), Signal.DATE: days}
    scores = np.sum(list(signals.values()), axis=0)
    chosen = _chosen(index, scores, question, weights)
    changes = changed(_statements(index, chosen), _rarities(index, terms), question.text)
    past = asks_about_past(question.text, question.now.date())
    if changes:
        _make_room(chosen, changes, question.budget)
    return _told(index, chosen, signals, changes, past=past)


def _days(index: ExchangeIndex, question: Question, weights: Weights) -> Floats:
    """What each passage is worth because of the days that the question names."""
    spans = asked_spans(question.text, question.now.date())
    if not spans:
        return np.zeros(len(index.passage_places()), np.float32)
    said_then = index.said_within(spans)[index.passage_places()]
    return weights.named_day * index.naming(spans) + weights.said_then * said_then


def _signals(
    index: ExchangeIndex, terms: Sequence[QueryTerm], matches: Matches, question: Question, weights: Weights
) -> Signals:
    """What each passage is worth because of its words and of what is around it."""
    places = index.passage_places()
    exchanges = _scaled(matches.exchanges)
    conversations = weights.conversation * _scaled(matches.conversations)
    # An exchange is a part of its conversation; only what is said elsewhere there is owed to that.
    around = np.maximum(conversations - weights.conversation * exchanges, 0)
    whole = weights.exchange * exchanges + conversations
    own = weights.passage * _scaled(matches.passages)
    own += weights.in_common * _scaled(in_common(index, whole, terms))
    own += (whole - around)[places]
    own += weights.opening * index.kinds(Kind.OPENING) * exchanges[places]
    preference = index.kinds(Kind.PREFERENCE) * (weights.preference * exchanges[places] + weights.any_preference)
    counts = _counts(index, question, weights)
    return {
        Signal.WORDS: counts * own,
        Signal.NEIGHBOURS: counts * _of_neighbours(index, whole, weights)[places],
        Signal.CONVERSATION: counts * around[places],
        Signal.MEANING: counts * weights.vector * _similarities(index, question)[places],
        Signal.PREFERENCE: counts * (preference + weights.standing * index.kinds(Kind.STANDING)),
    }


def _counts(index: ExchangeIndex, question: Question, weights: Weights) -> Floats:
    """What every signal of each passage is multiplied with, because of what the passage is."""
    counts = 1 + weights.novelty * index.novelty()[index.passage_places()]
    counts[index.spoken_by(words_of(question.text))] *= 1 + weights.speaker
    if not _ASKS_FOR_ANSWERS.search(folded(question.text)):
        counts[index.kinds(Kind.LONG_ANSWER)] *= weights.long_answer
    return counts


def _of_neighbours(index: ExchangeIndex, values: Floats, weights: Weights) -> Floats:
    """What each exchange gets of the values of those before and after it in its conversation."""
    padded, layout = np.append(values, np.float32(0)), index.layout()
    found: Floats = weights.previous * padded[layout.before] + weights.following * padded[layout.after]
    return found


def _similarities(index: ExchangeIndex, question: Question) -> Floats:
    """How near each exchange is in meaning, where that is known."""
    found = np.zeros(index.places, np.float32)
    for row_id, similarity in question.vectors.items():
        if (place := index.place_of(row_id)) is not None:
            found[place] = similarity
    return found


def _scaled(scores: Floats) -> Floats:
    best = float(scores.max(initial=0.0))
    return scores / best if best else scores


def _chosen(index: ExchangeIndex, scores: Floats, question: Question, weights: Weights) -> dict[int, Passage]:
    """The passages that fit into the budget, by value per length; with their numbers."""
    found = np.flatnonzero(scores > weights.least * scores.max(initial=0.0))
    lengths = index.passage_lengths()[found]
    value = scores[found] / (lengths + _SHORT) ** weights.length_exponent
    left, misfits = question.budget, 0
    told, chosen, distinct = set[int](), dict[int, Passage](), _DistinctTexts()
    order = greatest(value, _CANDIDATES)
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
        if not distinct.add(frozenset(words_of(passage.text))):
            continue
        chosen[number] = passage
        told.add(passage.exchange)
        left -= cost
    return chosen


class _DistinctTexts:
    """Texts of which no two say the same: ``_ALIKE`` of their words.

    Two that do have one of their first words in common, in any order of all words that is the same for both (Chaudhuri
    et al., 2006), so each is compared with few others.
    """

    def __init__(self) -> None:
        self._by_word: defaultdict[str, list[frozenset[str]]] = defaultdict(list)

    def add(self, words: frozenset[str]) -> bool:
        """Add a text by its words; False if another one says the same."""
        # Long words are rare ones.
        first = sorted(sorted(words), key=len, reverse=True)[: int(len(words) * (1 - _ALIKE)) + 1]
        others = {other for word in first for other in self._by_word[word]}
        # The common words are at least ``_ALIKE`` of all words of both.
        if any(len(words & other) * (1 + _ALIKE) >= _ALIKE * (len(words) + len(other)) for other in others):
            return False
        for word in first:
            self._by_word[word].append(words)
        return True


def _rarities(index: ExchangeIndex, terms: Sequence[QueryTerm]) -> list[tuple[frozenset[str], float]]:
    """The stems of each word of a question, with how rare it is (0 to 1)."""
    rarest = index.idf(1)
    found = []
    for term in terms:
        rarity = index.idf(max((index.frequency(stem) for stem in term.stems), default=0)) / rarest
        counts = COMMON_COUNTS if term.common else 1.0
        found.append((term.stems | term.related, counts * max(rarity, _LEAST_RARE)))
    return found


def _statements(index: ExchangeIndex, chosen: Mapping[int, Passage]) -> list[Statement]:
    """What the user has said of what was chosen, and short answers to that."""
    rarest, found = index.idf(1), []
    for number, passage in chosen.items():
        if passage.answered and index.has_long_answer(passage.exchange):
            continue
        said = index.said(passage.exchange)
        words = words_of(passage.text)
        speaker = speaker_of(said.response if passage.answered else said.message)
        stems = stems_of(words, language_of(words, said.language))
        found.append(
            Statement(
                number=number,
                at=said.at,
                text=passage.text,
                answer=said.response,
                changes=not passage.answered,
                speaker=speaker if index.is_speaker(speaker) else frozenset(),
                stems={stem: index.idf(index.frequency(stem)) / rarest for stem in stems},
            )
        )
    return found


def _told(
    index: ExchangeIndex,
    chosen: Mapping[int, Passage],
    signals: Signals,
    changes: Mapping[int, Change],
    *,
    past: bool,
) -> list[Told]:
    numbers: defaultdict[int, list[int]] = defaultdict(list)
    for number in sorted(chosen):
        numbers[chosen[number].exchange].append(number)
    # For each passage the strength of each signal.
    strengths = np.array([values[list(chosen)] for values in signals.values()]).T.tolist()
    of_passage = dict(zip(chosen, strengths, strict=True))
    told = []
    for said, parts in sorted(((index.said(place), parts) for place, parts in numbers.items()), key=_when):
        kept = parts if past else _still_true(chosen, parts, changes)
        text = _dated(said, [_noted(chosen[number], changes.get(number), said.at) for number in kept]) if kept else ""
        why = _why(signals, [of_passage[number] for number in parts])
        outdated = tuple((chosen[number].text, changes[number]) for number in parts if number in changes)
        told.append(Told(id=said.id, text=text, why=why, changed=outdated))
    return told


def _make_room(chosen: dict[int, Passage], changes: Mapping[int, Change], budget: int) -> None:
    """Remove what was chosen last until notes of what was changed fit into the budget, too."""
    exchanges = {passage.exchange for passage in chosen.values()}
    spent = _BETWEEN * (len(chosen) - len(exchanges)) + _DATED * len(exchanges) + _NOTE * len(changes)
    spent += sum(encoded_length(passage.text) for passage in chosen.values())
    while spent > budget and chosen:
        number, passage = chosen.popitem()
        spent -= encoded_length(passage.text) + _BETWEEN + _NOTE * (number in changes)


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
    return replace(passage, text=f"{passage.text} ({'' if change.sure else 'perhaps '}no longer true since {since})")


def _when(pair: tuple[Said, Sequence[int]]) -> datetime:
    return pair[0].at


def _dated(said: Said, passages: Sequence[Passage]) -> str:
    sides = [JOINT.join(each.text for each in passages if each.answered is side) for side in (False, True)]
    return f"{said.at.date().isoformat()}: " + ANSWER.join(filter(None, sides))


def _why(signals: Signals, strengths: Sequence[Sequence[float]]) -> tuple[str, ...]:
    """The signals that brought passages with these strengths of each signal, the strongest first."""
    strongest = sorted(zip(map(max, zip(*strengths, strict=True)), signals, strict=True), key=lambda pair: -pair[0])
    return tuple(signal.value for strength, signal in strongest if strength > _MATTERS * strongest[0][0])


def encoded_length(text: str) -> int:
    """The characters of ``text`` in the JSON that a model is given, without quotes."""
    return len(_ENCODER.encode(text)) - 2 + 5 * sum(map(text.count, "<>&"))
