"""Selects the passages of a user's exchanges that a model gets for a question, within a budget of characters. Pure."""

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import reduce
from typing import Final, NamedTuple, TypeAlias
from uuid import UUID

import numpy as np

from memory.search.applying import Applying, applying
from memory.search.bm25 import Flags, Floats, greatest, idf
from memory.search.changes import changed
from memory.search.choosing import Beside, Room, chosen_passages, make_room
from memory.search.dates import asked_spans
from memory.search.index import ExchangeIndex
from memory.search.kinds import Kind
from memory.search.matching import Matches, QueryTerm, in_common, match, query_terms, stems_in
from memory.search.persons import may_be_name, names_in
from memory.search.question import Question
from memory.search.relevance import Signs
from memory.search.requests import (
    asks_what_is,
    is_closing,
    is_request,
)
from memory.search.told import Told, told
from memory.search.vocabulary import STOP_WORDS
from memory.search.weights import WEIGHTS, Weights
from memory.search.words import folded, is_common, words_of

_ASKS_FOR_ANSWERS: Final = re.compile(
    r"\b(?:(?:did|have|had|were) you|you(?:'ve)? (?:just |already )?"
    r"(?:said|told|suggested|recommended|advised|explained|gave|wrote|proposed|mentioned|listed)|"
    r"(?:hai|avevi) (?:gia )?(?:detto|consigliato|suggerito|proposto|spiegato|scritto|elencato|raccomandato))\b"
)
BUDGET: Final = 6_000
"""In characters of JSON."""
_MAX_APPLYING: Final = 12
"""How many preferences are recalled that a message does not name."""
_ALL_STOP_WORDS: Final = frozenset[str]().union(*STOP_WORDS.values())
_MIN_STOP_WORDS: Final = 0.25
"""The least share of stop words among the words of a question in English or Italian, apart from ``_FEW_WORDS``."""
_FEW_WORDS: Final = 2


class Signal(StrEnum):
    """Why a passage is recalled."""

    WORDS = "words"
    NEIGHBOURS = "neighbours"
    CONVERSATION = "conversation"
    MEANING = "meaning"
    DATE = "date"
    PREFERENCE = "preference"


Signals: TypeAlias = Mapping[Signal, Floats]
"""For each signal, what it adds to the score of each passage."""


def recalled(
    index: ExchangeIndex,
    question: Question,
    weights: Weights = WEIGHTS,
    *,
    budget: int = BUDGET,
    beside: Sequence[Beside] = (),
) -> list[Told]:
    """The passages to recall in ``budget`` characters of JSON, oldest first; none if none is relevant to the question.

    ``beside`` also uses the budget.
    """
    found = ranked(index, question, weights)
    if found is None:
        return []
    room = Room(index, budget, beside, question.language)
    chosen = chosen_passages(index, found.scores, room, weights, question.history)
    changes = changed(index, chosen, found.scores, found.terms, question.message)
    if changes:
        # The passages that changed them may not be relevant to the question themselves.
        later = {each.by: index.passage(each.by) for each in changes.values()}
        chosen = {by: passage for by, passage in later.items() if passage.text not in question.history} | chosen
        make_room(chosen, changes, budget - room.beside)
    why = {signal.value: values for signal, values in found.signals.items()}
    return told(index, chosen, why, changes, past=question.past)


class Ranked(NamedTuple):
    """The score of each passage for a question, what each signal adds to it, and the question's words."""

    scores: Floats
    signals: Signals
    terms: Sequence[QueryTerm]


def ranked(index: ExchangeIndex, question: Question, weights: Weights = WEIGHTS) -> Ranked | None:
    """The scores of the passages of an index for a question; None if it is about none of them."""
    if not len(index) or (is_closing(question.text) and not question.is_search):
        return None
    terms, matches, days, signs = _compared(index, question, weights)
    preferences = applying(
        index,
        question.request,
        is_near=signs.log_odds >= weights.floor_of_requests,
        may_suffice=question.preferences_may_apply,
    )
    is_about = _is_about(index, question, signs, weights)
    nearness = _of_exchanges(index, question.vectors)
    is_near = _of_exchanges(index, dict.fromkeys(question.near, 1.0)) > 0
    sufficient = preferences.sufficient | is_near
    if not is_about and not sufficient.any():
        return None
    signals = {**_signals(index, terms, matches, question, nearness, weights), Signal.DATE: days}
    signals[Signal.PREFERENCE] += _best_applying(preferences, reduce(np.add, signals.values()), weights)
    scores = reduce(np.add, signals.values())
    if not is_about:
        scores = scores * sufficient
    if question.is_search:
        scores = scores * _found(index, question, matches, days, is_near)
    return Ranked(scores, signals, terms)


def _found(index: ExchangeIndex, question: Question, matches: Matches, days: Floats, is_near: Flags) -> Flags:
    """For each passage, whether a search finds it: by a word of its exchange, its meaning or a day, and by its time."""
    places = index.passage_places()
    found = (matches.exchanges > 0)[places] | is_near | (days > 0)
    if question.since is not None:
        found &= (index.times() >= question.since.timestamp())[places]
    return found


def signs_of(index: ExchangeIndex, question: Question, weights: Weights = WEIGHTS) -> Signs:
    """The signs by which ``relevance`` decides whether a question is about anything in the index."""
    return _compared(index, question, weights).signs


class _Compared(NamedTuple):
    """A question's words and how well everything in an index matches them, and the days that it names."""

    terms: Sequence[QueryTerm]
    matches: Matches
    days: Floats
    signs: Signs


def _compared(index: ExchangeIndex, question: Question, weights: Weights) -> _Compared:
    terms = query_terms(index, question.message, question.language, _contexts(index, question, weights))
    # The present conversation is no evidence that something was said before.
    in_history = index.places_of({earlier.text for earlier in question.before}) if question.before else []
    matches = match(index, terms, in_history)
    days = _days(index, question, weights)
    if in_history:
        days[np.isin(index.passage_places(), in_history)] = 0
    return _Compared(terms, matches, days, _signs(index, question, terms, matches, days, in_history))


def _contexts(index: ExchangeIndex, question: Question, weights: Weights) -> list[tuple[str, float]]:
    """The texts that a question follows up, and the weight of the words of each.

    The names in an answer have the weight of words of a message.
    """
    found: list[tuple[str, float]] = []
    counts = 1.0
    for earlier in question.followed_up:
        if earlier.is_answer:
            names = [word for word in words_of(earlier.text) if index.is_name(word) and not is_common(word)]
            found.append((" ".join(names), counts * weights.before_message))
            found.append((earlier.text, counts * weights.before_answer))
        else:
            found.append((earlier.text, counts * weights.before_message))
            counts *= weights.before_further
    return found


def _is_about(index: ExchangeIndex, question: Question, signs: Signs, weights: Weights) -> bool:
    """Whether a question is about anything in the index."""
    if question.is_search:
        return signs.message.coverage > 0 or signs.days > 0
    # A question that shares no word with any passage finds nothing, however personal it sounds.
    if signs.may_be_found and signs.log_odds >= weights.floor:
        return True
    if signs.days >= weights.floor_of_days and not signs.is_of_the_world:
        return True
    return _names_speaker(index, question.message)


def _signs(
    index: ExchangeIndex,
    question: Question,
    terms: Sequence[QueryTerm],
    matches: Matches,
    days: Floats,
    in_history: Sequence[int],
) -> Signs:
    asked, of_asked = question.asked_unquoted, matches.overlap
    if asked != question.message and not question.followed_up:
        # The rest of the message is seldom about the question.
        of_asked = match(index, query_terms(index, asked, question.language), in_history).overlap
    named = float(days.max(initial=0.0))
    if named and question.asked != question.message and not asked_spans(question.asked, question.now.date()):
        named = 0.0
    return Signs(
        message=matches.overlap,
        asked=of_asked,
        is_of_own_life=question.is_of_own_life,
        is_of_the_world=question.is_of_the_world,
        asks_what_is=asks_what_is(question.plain),
        is_request=is_request(question.plain),
        unknown_names=_unknown_names(index, question, terms),
        best=float(matches.passages.max(initial=0.0)) / idf(max(index.layout().passages, 1), 1),
        exchanges=len(index),
        days=named,
        wording=question.wording,
    )


def _unknown_names(index: ExchangeIndex, question: Question, terms: Sequence[QueryTerm]) -> int:
    """How many names in a question occur nowhere, nor any similar name; ``terms`` are its words.

    0 if it seems to be neither English nor Italian: in German, all nouns are capitalized.
    """
    if not question.is_in_known_language:
        return 0
    names = names_in(question.asked_unquoted)
    names = [name for name in names if may_be_name(name) and not index.is_name(name)]
    if not names:
        return 0
    others = [word for word in words_of(question.asked_unquoted) if word not in names]
    # A few words need not contain a stop word: “Mercator projection year”.
    if _MIN_STOP_WORDS * (len(others) - _FEW_WORDS) > sum(map(_ALL_STOP_WORDS.__contains__, others)):
        return 0
    said = {each for term in terms if any(map(index.frequency, term.stems)) for each in term.stems}
    return sum(said.isdisjoint(stems_in(name, index.languages)) for name in names)


def _names_speaker(index: ExchangeIndex, question: str) -> bool:
    """Whether a question names someone who speaks in copied chats, and who says much that shares no word with it."""
    return not set(words_of(question)).isdisjoint(index.speakers())


def _days(index: ExchangeIndex, question: Question, weights: Weights) -> Floats:
    """What the days in the question add to the score of each passage."""
    if not question.spans:
        return np.zeros(len(index.passage_places()), np.float32)
    said_then = index.said_within(question.spans)[index.passage_places()]
    return weights.named_day * index.naming(question.spans) + weights.said_then * said_then


def _best_applying(preferences: Applying, scores: Floats, weights: Weights) -> Floats:
    """What is added to the score of each preference that applies to a message, but only of the best ones.

    ``scores`` are the other scores of all passages. Without a limit, the preferences in a long memory would use the
    whole budget.
    """
    found = np.zeros(len(scores), np.float32)
    if preferences.any.any():
        values = weights.applying + weights.on_occasion * preferences.on_occasion.astype(np.float32)
        best = greatest((scores + values) * preferences.any, _MAX_APPLYING)
        found[best] = (values * preferences.any)[best]
    return found


def _signals(
    index: ExchangeIndex,
    terms: Sequence[QueryTerm],
    matches: Matches,
    question: Question,
    nearness: Floats,
    weights: Weights,
) -> Signals:
    """What each signal adds to the scores: words, the surroundings of a passage, its kind, and its ``nearness``."""
    places = index.passage_places()
    exchanges = _scaled(matches.exchanges)
    conversations = weights.conversation * _scaled(matches.conversations)
    # An exchange is a part of its conversation, so only the rest of the conversation counts for this signal.
    around = np.maximum(conversations - weights.conversation * exchanges, 0)
    whole = weights.exchange * exchanges + conversations
    own = weights.passage * _scaled(matches.passages)
    own += weights.in_common * _scaled(in_common(index, whole, terms))
    own += (whole - around)[places]
    of_exchange = exchanges[places]
    opening = weights.opening + weights.overview_opening * question.asks_for_overview
    own += index.kinds(Kind.OPENING) * (opening * of_exchange)
    preference = index.kinds(Kind.PREFERENCE) * (weights.preference * of_exchange + weights.any_preference)
    preference += index.kinds(Kind.STANDING) * np.float32(weights.standing)
    counts = _counts(index, question, weights)
    signals = {
        Signal.WORDS: own,
        Signal.NEIGHBOURS: _of_neighbours(index, whole, weights)[places],
        Signal.CONVERSATION: around[places],
        Signal.PREFERENCE: preference,
    }
    if question.vectors:
        signals[Signal.MEANING] = weights.vector * nearness
    return {signal: counts * values for signal, values in signals.items()}


def _counts(index: ExchangeIndex, question: Question, weights: Weights) -> Floats:
    """For each passage, the factor of all its signals."""
    novelty = weights.novelty + weights.overview_novelty * question.asks_for_overview
    counts = 1 + novelty * index.novelty()[index.passage_places()]
    counts[index.spoken_by(words_of(question.message))] *= 1 + weights.speaker
    if not _ASKS_FOR_ANSWERS.search(folded(question.message)):
        counts[index.kinds(Kind.LONG_ANSWER)] *= weights.long_answer
    return counts


def _of_neighbours(index: ExchangeIndex, values: Floats, weights: Weights) -> Floats:
    """For each exchange, the weighted values of its neighbours in the conversation."""
    padded, layout = np.append(values, np.float32(0)), index.layout()
    found: Floats = weights.previous * padded[layout.before] + weights.following * padded[layout.after]
    return found


def _of_exchanges(index: ExchangeIndex, values: Mapping[UUID, float]) -> Floats:
    """For each passage, the value of its exchange; 0 if that has none or a negative one."""
    if not values:
        return np.zeros(len(index.passage_places()), np.float32)
    found = np.zeros(index.places, np.float32)
    for row_id, value in values.items():
        if (place := index.place_of(row_id)) is not None:
            found[place] = max(value, 0.0)
    return found[index.passage_places()]


def _scaled(scores: Floats) -> Floats:
    best = float(scores.max(initial=0.0))
    return scores / best if best else scores
