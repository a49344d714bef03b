"""Ranks the passages of a user's exchanges for a question, and recalls the best ones within a budget of characters.

Pure.
"""

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import reduce
from typing import Final, NamedTuple, TypeAlias
from uuid import UUID

import numpy as np

from memory.search.applicable_preferences import ApplicablePreferences, applicable_preferences
from memory.search.bm25 import Flags, Floats, greatest, idf
from memory.search.changes import find_changes
from memory.search.dates import asked_spans
from memory.search.index import ExchangeIndex
from memory.search.kinds import Kind
from memory.search.matching import Matches, QueryTerm, feedback_scores, match, query_terms, stems_in
from memory.search.persons import may_be_name, names_in
from memory.search.question import Question
from memory.search.relevance import RelevanceFeatures
from memory.search.requests import asks_what_is, is_closing, is_request
from memory.search.selection import Budget, ReservedText, select_passages, trim_for_notes
from memory.search.snippets import Snippet, snippets
from memory.search.vocabulary import STOP_WORDS
from memory.search.weights import WEIGHTS, Weights
from memory.search.words import folded, is_common, words_of

_ASKS_FOR_ANSWERS: Final = re.compile(
    r"\b(?:(?:did|have|had|were) you|you(?:'ve)? (?:just |already )?"
    r"(?:said|told|suggested|recommended|advised|explained|gave|wrote|proposed|mentioned|listed)|"
    r"(?:hai|avevi) (?:gia )?(?:detto|consigliato|suggerito|proposto|spiegato|scritto|elencato|raccomandato))\b"
)
BUDGET: Final = 6_000
"""The default budget, in characters of JSON."""
_MAX_APPLICABLE: Final = 12
"""How many applicable preferences get a bonus."""
_ALL_STOP_WORDS: Final = frozenset[str]().union(*STOP_WORDS.values())
_MIN_STOP_WORDS: Final = 0.25
"""The minimum share of stop words in a question in English or Italian, not counting ``_FEW_WORDS`` of its words."""
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
"""The contribution of each signal to the score of each passage."""


def recalled(
    index: ExchangeIndex,
    question: Question,
    weights: Weights = WEIGHTS,
    *,
    budget: int = BUDGET,
    reserved: Sequence[ReservedText] = (),
) -> list[Snippet]:
    """The passages to recall in ``budget`` characters of JSON, oldest first; none if none is relevant to the question.

    ``reserved`` texts share the budget.
    """
    ranking = ranked(index, question, weights)
    if ranking is None:
        return []
    available = Budget(index, budget, reserved, question.language)
    selected = select_passages(index, ranking.scores, available, weights, question.history)
    changes = find_changes(index, selected, ranking.scores, ranking.terms, question.message)
    if changes:
        # The passages that changed others need not be relevant to the question themselves.
        later = {each.by: index.passage(each.by) for each in changes.values()}
        selected = {by: passage for by, passage in later.items() if passage.text not in question.history} | selected
        trim_for_notes(selected, changes, budget - available.reserved)
    signals = {signal.value: values for signal, values in ranking.signals.items()}
    return snippets(index, selected, signals, changes, about_past=question.past)


class Ranked(NamedTuple):
    """The score of each passage for a question, the contributions of the signals, and the question's words."""

    scores: Floats
    signals: Signals
    terms: Sequence[QueryTerm]


def ranked(index: ExchangeIndex, question: Question, weights: Weights = WEIGHTS) -> Ranked | None:
    """The scores of the passages of an index for a question; None if it is relevant to none of them."""
    if not len(index) or (is_closing(question.text) and not question.is_search):
        return None
    terms, matches, days, features = _analysed(index, question, weights)
    preferences = applicable_preferences(
        index,
        question.request,
        is_near=features.log_odds >= weights.floor_of_requests,
        may_suffice=question.preferences_may_apply,
    )
    is_relevant = _is_relevant(index, question, features, weights)
    nearness = _of_exchanges(index, question.vectors)
    is_near = _of_exchanges(index, dict.fromkeys(question.near, 1.0)) > 0
    sufficient = preferences.sufficient | is_near
    if not is_relevant and not sufficient.any():
        return None
    signals = {**_signals(index, terms, matches, question, nearness, weights), Signal.DATE: days}
    signals[Signal.PREFERENCE] += _preference_bonus(preferences, reduce(np.add, signals.values()), weights)
    scores = reduce(np.add, signals.values())
    if not is_relevant:
        scores = scores * sufficient
    if question.is_search:
        scores = scores * _is_search_result(index, question, matches, days, is_near)
    return Ranked(scores, signals, terms)


def _is_search_result(
    index: ExchangeIndex, question: Question, matches: Matches, days: Floats, is_near: Flags
) -> Flags:
    """For each passage, whether a search finds it: by a word of its exchange, its meaning or a date, and its time."""
    exchanges = index.passage_exchanges()
    found = (matches.exchanges > 0)[exchanges] | is_near | (days > 0)
    if question.since is not None:
        found &= (index.times() >= question.since.timestamp())[exchanges]
    return found


def relevance_features(index: ExchangeIndex, question: Question, weights: Weights = WEIGHTS) -> RelevanceFeatures:
    """The features by which the relevance of a question to the index is judged."""
    return _analysed(index, question, weights).features


class _Analysis(NamedTuple):
    """A question's words, their matches in an index, the contribution of dates, and the features of relevance."""

    terms: Sequence[QueryTerm]
    matches: Matches
    days: Floats
    features: RelevanceFeatures


def _analysed(index: ExchangeIndex, question: Question, weights: Weights) -> _Analysis:
    terms = query_terms(index, question.message, question.language, _contexts(index, question, weights))
    # The current conversation is no evidence of relevance.
    in_history = index.positions_of({earlier.text for earlier in question.before}) if question.before else []
    matches = match(index, terms, in_history)
    days = _days(index, question, weights)
    if in_history:
        days[np.isin(index.passage_exchanges(), in_history)] = 0
    return _Analysis(terms, matches, days, _features(index, question, terms, matches, days, in_history))


def _contexts(index: ExchangeIndex, question: Question, weights: Weights) -> list[tuple[str, float]]:
    """The texts that a question follows up, each with the weight of its words.

    Names in an answer have the weight of words of a message.
    """
    found: list[tuple[str, float]] = []
    factor = 1.0
    for earlier in question.followed_up:
        if earlier.is_answer:
            names = [word for word in words_of(earlier.text) if index.is_name(word) and not is_common(word)]
            found.append((" ".join(names), factor * weights.before_message))
            found.append((earlier.text, factor * weights.before_answer))
        else:
            found.append((earlier.text, factor * weights.before_message))
            factor *= weights.before_further
    return found


def _is_relevant(index: ExchangeIndex, question: Question, features: RelevanceFeatures, weights: Weights) -> bool:
    """Whether a question is about anything in the index."""
    if question.is_search:
        return features.message.coverage > 0 or features.days > 0
    # A question that shares no word with any passage finds nothing, even if its wording is personal.
    if features.may_be_found and features.log_odds >= weights.floor:
        return True
    if features.days >= weights.floor_of_days and not features.is_of_the_world:
        return True
    return _names_speaker(index, question.message)


def _features(
    index: ExchangeIndex,
    question: Question,
    terms: Sequence[QueryTerm],
    matches: Matches,
    days: Floats,
    in_history: Sequence[int],
) -> RelevanceFeatures:
    asked, asked_overlap = question.asked_unquoted, matches.overlap
    if asked != question.message and not question.followed_up:
        # The rest of the message is seldom about the question.
        asked_overlap = match(index, query_terms(index, asked, question.language), in_history).overlap
    best_day = float(days.max(initial=0.0))
    if best_day and question.asked != question.message and not asked_spans(question.asked, question.now.date()):
        best_day = 0.0
    return RelevanceFeatures(
        message=matches.overlap,
        asked=asked_overlap,
        is_of_own_life=question.is_of_own_life,
        is_of_the_world=question.is_of_the_world,
        asks_what_is=asks_what_is(question.plain),
        is_request=is_request(question.plain),
        unknown_names=_unknown_names(index, question, terms),
        best=float(matches.passages.max(initial=0.0)) / idf(max(index.layout().passages, 1), 1),
        exchanges=len(index),
        days=best_day,
        wording=question.wording,
    )


def _unknown_names(index: ExchangeIndex, question: Question, terms: Sequence[QueryTerm]) -> int:
    """The number of names in a question that do not occur, nor any similar name. ``terms`` are its words.

    0 if the question seems to be neither English nor Italian, because German capitalizes all nouns.
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
    known = {each for term in terms if any(map(index.frequency, term.stems)) for each in term.stems}
    return sum(known.isdisjoint(stems_in(name, index.languages)) for name in names)


def _names_speaker(index: ExchangeIndex, question: str) -> bool:
    """Whether a question names a speaker of a pasted chat, most of whose statements share no word with it."""
    return not set(words_of(question)).isdisjoint(index.speakers())


def _days(index: ExchangeIndex, question: Question, weights: Weights) -> Floats:
    """The contribution of the dates in the question to the score of each passage."""
    if not question.spans:
        return np.zeros(len(index.passage_exchanges()), np.float32)
    said_then = index.said_within(question.spans)[index.passage_exchanges()]
    return weights.named_day * index.naming(question.spans) + weights.said_then * said_then


def _preference_bonus(preferences: ApplicablePreferences, scores: Floats, weights: Weights) -> Floats:
    """The bonus of each applicable preference, for the best ones only.

    ``scores`` are the scores without it. If all got the bonus, the preferences in a long memory would fill the budget.
    """
    found = np.zeros(len(scores), np.float32)
    if preferences.any.any():
        values = weights.applicable + weights.on_occasion * preferences.on_occasion.astype(np.float32)
        best = greatest((scores + values) * preferences.any, _MAX_APPLICABLE)
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
    """The contribution of each signal to the scores. ``nearness`` is the similarity in meaning."""
    exchange_of = index.passage_exchanges()
    exchanges = _scaled(matches.exchanges)
    conversations = weights.conversation * _scaled(matches.conversations)
    # An exchange is a part of its conversation, so only the rest of the conversation counts for this signal.
    around = np.maximum(conversations - weights.conversation * exchanges, 0)
    whole = weights.exchange * exchanges + conversations
    own = weights.passage * _scaled(matches.passages)
    own += weights.feedback * _scaled(feedback_scores(index, whole, terms))
    own += (whole - around)[exchange_of]
    of_exchange = exchanges[exchange_of]
    opening = weights.opening + weights.overview_opening * question.asks_for_overview
    own += index.of_kind(Kind.OPENING) * (opening * of_exchange)
    preference = index.of_kind(Kind.PREFERENCE) * (weights.preference * of_exchange + weights.any_preference)
    preference += index.of_kind(Kind.STANDING) * np.float32(weights.standing)
    factors = _factors(index, question, weights)
    signals = {
        Signal.WORDS: own,
        Signal.NEIGHBOURS: _of_neighbours(index, whole, weights)[exchange_of],
        Signal.CONVERSATION: around[exchange_of],
        Signal.PREFERENCE: preference,
    }
    if question.vectors:
        signals[Signal.MEANING] = weights.vector * nearness
    return {signal: factors * values for signal, values in signals.items()}


def _factors(index: ExchangeIndex, question: Question, weights: Weights) -> Floats:
    """For each passage, the factor of all its signals."""
    novelty = weights.novelty + weights.overview_novelty * question.asks_for_overview
    factors = 1 + novelty * index.novelty()[index.passage_exchanges()]
    factors[index.spoken_by(words_of(question.message))] *= 1 + weights.speaker
    if not _ASKS_FOR_ANSWERS.search(folded(question.message)):
        factors[index.of_kind(Kind.LONG_ANSWER)] *= weights.long_answer
    return factors


def _of_neighbours(index: ExchangeIndex, values: Floats, weights: Weights) -> Floats:
    """For each exchange, the weighted values of its neighbours in the conversation."""
    padded, layout = np.append(values, np.float32(0)), index.layout()
    found: Floats = weights.previous * padded[layout.before] + weights.following * padded[layout.after]
    return found


def _of_exchanges(index: ExchangeIndex, values: Mapping[UUID, float]) -> Floats:
    """For each passage, the value of its exchange; 0 if it has none or a negative one."""
    if not values:
        return np.zeros(len(index.passage_exchanges()), np.float32)
    found = np.zeros(index.position_count, np.float32)
    for row_id, value in values.items():
        if (position := index.position_of(row_id)) is not None:
            found[position] = max(value, 0.0)
    return found[index.passage_exchanges()]


def _scaled(scores: Floats) -> Floats:
    """``scores``, divided by the best one."""
    best = float(scores.max(initial=0.0))
    return scores / best if best else scores
