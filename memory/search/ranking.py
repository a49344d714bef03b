"""Which passages of a user's exchanges a model is given for a question, within a budget of characters. Pure.

Each weight below was chosen on one half of conversations of LoCoMo and BEAM and checked on the other half
(``docs/memory.md`` has the figures with and without each signal, and how to measure again).
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from functools import cached_property, reduce
from typing import Final, NamedTuple, TypeAlias
from uuid import UUID

import numpy as np

from memory.search.applying import Applying, applying
from memory.search.bm25 import Flags, Floats, greatest, idf
from memory.search.change_words import asks_about_past
from memory.search.changes import Change, changed
from memory.search.dates import Span, asked_spans, names_past
from memory.search.follow_ups import Earlier, followed_up
from memory.search.given_text import without_given_text
from memory.search.index import ExchangeIndex, Passage
from memory.search.kinds import Kind
from memory.search.matching import Matches, QueryTerm, in_common, match, query_terms, stems_in
from memory.search.persons import may_be_name, names_in
from memory.search.relevance import Signs
from memory.search.requests import (
    asked_in_full,
    asking_sentences,
    asks_how_to,
    asks_of_own_life,
    asks_of_the_world,
    asks_what_is,
    is_closing,
    is_request,
    tells_of_self,
    wants_to_know,
    without_quotes,
)
from memory.search.told import JOINT, NOTE_CHARS, Told, encoded_length, told
from memory.search.vocabulary import STOP_WORDS
from memory.search.wording import OWN_LIFE, features_of
from memory.search.words import comparable, folded, is_common, language_of, primary_language, stems_of, words_of

_ASKS_FOR_ANSWERS: Final = re.compile(
    r"\b(?:(?:did|have|had|were) you|you(?:'ve)? (?:just |already )?"
    r"(?:said|told|suggested|recommended|advised|explained|gave|wrote|proposed|mentioned|listed)|"
    r"(?:hai|avevi) (?:gia )?(?:detto|consigliato|suggerito|proposto|spiegato|scritto|elencato|raccomandato))\b"
)
_ASKS_FOR_OVERVIEW: Final = re.compile(
    r"\b(?:order in which|in (?:what |which )?order(?! to\b)|summar(?:y|ies|ise|ize)|recap|overview|walk me through|"
    r"in (?:che |quale )?ordine|riassum\w+|riassunto|riepilog\w+|panoramica)\b"
)
_ASKS_IF_IN_ORDER: Final = re.compile(r"(?:is|are|was|were|e|sono|era|erano)\b.* in ord(?:er|ine)\W*\Z")
"""“Are my papers in order?” asks for none."""
BUDGET: Final = 6_000
"""Characters of JSON."""
_SHORT: Final = 16
"""Added to every length, so that the shortest passages are not the most valuable ones."""
_DATED: Final = 16
"""The characters of an item besides its passage: the date, the quotes, what separates it from the next."""
_BETWEEN: Final = len(JOINT)
_CANDIDATES: Final = 200
_MOST_SPANS: Final = 100
"""Of days that a question names."""
_MOST_APPLYING: Final = 12
"""Preferences that a message does not name."""
_MISFITS: Final = 15
"""After so many passages that do not fit into what is left of the budget it counts as full."""
_GENERAL: Final = -6.0
"""Below this wording, a request concerns nobody in particular: “recipe for a marble cake, 1lb tin”."""
_CONTRARY: Final = Kind.NEGATES | Kind.SAYS_CHANGE
_ALL_STOP_WORDS: Final = frozenset[str]().union(*STOP_WORDS.values())
_LEAST_STOP_WORDS: Final = 0.25
"""The share of a question's words that are stop words in English or Italian, but for so many words:"""
_FEW_WORDS: Final = 2
_ALIKE: Final = 0.85
"""The share of common terms above which two passages say the same."""


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

    ``overview_…`` is added where an overview is asked for, or the order of things. ``before_…`` is what the words of a
    message and of an answer count that a question follows up, and of each exchange of what the one after it does.

    Nothing is told unless ``Signs.log_odds`` reaches ``floor`` (and a passage has a word of the question, or that asks
    about its author's own life), the named days count ``floor_of_days``, an exchange is near in meaning, or someone is
    named who speaks in copied chats. Preferences that apply to a request on any occasion need log odds of
    ``floor_of_requests``. Passages with less than ``least`` of the best one's value are not told.
    """

    passage: float = 0.8
    in_common: float = 0.28
    exchange: float = 0.6
    conversation: float = 0.3
    previous: float = 0.25
    following: float = 0.1
    vector: float = 0.1
    long_answer: float = 0.3
    opening: float = 0.2
    preference: float = 0.2
    any_preference: float = 0.08
    standing: float = 0.3
    applying: float = 0.3
    on_occasion: float = 0.3
    novelty: float = 0.4
    overview_opening: float = 1.3
    overview_novelty: float = 0.2
    speaker: float = 1.0
    named_day: float = 0.8
    said_then: float = 0.5
    length_exponent: float = 0.3
    before_message: float = 0.7
    before_answer: float = 0.35
    before_further: float = 0.6
    floor: float = -1.4
    floor_of_requests: float = -1.5
    floor_of_days: float = 0.25
    least: float = 0.06


WEIGHTS: Final = Weights()


class Beside(NamedTuple):
    """What is told beside the passages, unless one of them has all of its words; it takes so many characters."""

    text: str
    chars: int


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is asked. ``now`` is in the user's time zone, and ``language`` is the user's (an IETF tag).

    ``before`` is the conversation that it is asked in, the latest last: what that says is not told again. ``vectors``
    says of exchanges how near their summaries are in meaning, where that is known, in standard deviations above the
    mean. ``near`` are those that are nearer than any would be by chance.

    A search (``is_search``) is told all that has one of its words, also what is no longer true, with a note; only what
    was said ``since`` then.
    """

    text: str
    now: datetime
    language: str = "en"
    before: Sequence[Earlier] = ()
    is_search: bool = False
    since: datetime | None = None
    vectors: Mapping[UUID, float] = field(default_factory=dict)
    near: AbstractSet[UUID] = frozenset()

    @cached_property
    def message(self) -> str:
        """Its text, without one that is given to be translated, corrected or shortened."""
        return self.text if self.is_search else without_given_text(self.text)

    @cached_property
    def history(self) -> str:
        """The text of the conversation."""
        return "\n".join(earlier.text for earlier in self.before)

    @cached_property
    def followed_up(self) -> Sequence[Earlier]:
        """What of the conversation says what it is about, the latest first, if it does not say it itself."""
        return followed_up(self.text, self.before)

    @cached_property
    def spans(self) -> Sequence[Span]:
        """The days that it names."""
        # Each once, and of a long text the first ones: each takes time to look for.
        return list(dict.fromkeys(asked_spans(self.message, self.now.date())))[:_MOST_SPANS]

    @cached_property
    def asks_for_overview(self) -> bool:
        """Whether it asks for all of a matter, or in which order things were."""
        plain = folded(self.message).strip()
        return _ASKS_FOR_OVERVIEW.search(plain) is not None and not _ASKS_IF_IN_ORDER.match(plain)

    @cached_property
    def asked(self) -> str:
        """What it asks for, without what is said beside that."""
        return asking_sentences(self.message)

    @cached_property
    def asked_unquoted(self) -> str:
        """What it asks for, with what that refers to, and without what it quotes."""
        return without_quotes(asked_in_full(self.message))

    @property
    def is_in_known_language(self) -> bool:
        """Whether its author speaks English or Italian."""
        return primary_language(self.language) in STOP_WORDS

    @cached_property
    def plain(self) -> str:
        """What it asks for, as ``comparable``."""
        return comparable(self.asked)

    @cached_property
    def is_of_own_life(self) -> bool:
        """Whether it asks for something of its author's that others cannot know."""
        return asks_of_own_life(self.plain)

    @cached_property
    def is_of_the_world(self) -> bool:
        """Whether it asks for what anyone may know or write."""
        return asks_of_the_world(self.plain)

    @cached_property
    def wording(self) -> float:
        """The log odds, by the wording of it and of what it follows up, that it is about its author's life; 0 if its
        author speaks neither English nor Italian, and at least 0 if it only tells of its author: the classifier knows
        how people ask.
        """
        # Words of other languages may look like one of these: “qui a notre clé?”
        if not self.is_in_known_language:
            return 0.0
        said = [earlier.text for earlier in self.followed_up if not earlier.is_answer]
        found = OWN_LIFE.log_odds(features_of("\n".join([self.asked_unquoted, *said])))
        return max(found, 0.0) if tells_of_self(comparable(self.message)) else found

    @cached_property
    def seems_of_own_life(self) -> bool:
        """Whether it may be about its author's life, judged without the memory."""
        return not is_closing(self.text) and (self.is_of_own_life or self.wording >= 0)

    @cached_property
    def preferences_may_apply(self) -> bool:
        """Whether what someone likes, needs or cannot do may apply to it, though it has nothing else to do with the
        memory: it asks for something to be done, and not for what is the same for everyone.
        """
        if not is_request(self.request) or self.is_of_the_world or self.wording < _GENERAL:
            return False
        return not asks_how_to(self.request) or self.wording > 0

    @cached_property
    def request(self) -> str:
        """What it asks for, as ``comparable``; empty if it just wants to know something and nothing done or proposed.

        Of one's own life it is all of it: “what can't I eat? must tell the caterer”.
        """
        plain = comparable(self.message) if self.is_of_own_life else self.plain
        return "" if self.past or self.asks_for_overview or wants_to_know(plain) else plain

    @cached_property
    def past(self) -> bool:
        """Whether it is about what was."""
        return self.is_search or asks_about_past(self.message) or names_past(self.message, self.now.date())


def recalled(
    index: ExchangeIndex,
    question: Question,
    weights: Weights = WEIGHTS,
    *,
    budget: int = BUDGET,
    beside: Sequence[Beside] = (),
) -> list[Told]:
    """What is worth telling in ``budget`` characters of JSON, oldest first; nothing if nothing fits the question.

    What is told ``beside`` uses a part of the budget.
    """
    found = ranked(index, question, weights)
    if found is None:
        return []
    room = _Room(index, budget, beside, question.language)
    chosen = _chosen(index, found.scores, room, weights, question.history)
    changes = changed(index, chosen, found.scores, found.terms, question.message)
    if changes:
        # What they were changed to may not be about the question itself.
        later = {each.by: index.passage(each.by) for each in changes.values()}
        chosen = {by: passage for by, passage in later.items() if passage.text not in question.history} | chosen
        _make_room(chosen, changes, budget - room.beside)
    why = {signal.value: values for signal, values in found.signals.items()}
    return told(index, chosen, why, changes, past=question.past)


class Ranked(NamedTuple):
    """What each passage is worth for a question (``scores``), what each signal adds to it, and the question's words."""

    scores: Floats
    signals: Signals
    terms: Sequence[QueryTerm]


def ranked(index: ExchangeIndex, question: Question, weights: Weights = WEIGHTS) -> Ranked | None:
    """What the passages of an index are worth for a question; None if it has to do with none."""
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
    """Whether a search finds each passage: by a word of its exchange, its meaning or a day, and by when it was said."""
    places = index.passage_places()
    found = (matches.exchanges > 0)[places] | is_near | (days > 0)
    if question.since is not None:
        found &= (index.times() >= question.since.timestamp())[places]
    return found


def signs_of(index: ExchangeIndex, question: Question, weights: Weights = WEIGHTS) -> Signs:
    """What says whether a question has to do with anything in the index."""
    return _compared(index, question, weights).signs


class _Compared(NamedTuple):
    """A question's words and how well everything in an index matches them, and the days that it names."""

    terms: Sequence[QueryTerm]
    matches: Matches
    days: Floats
    signs: Signs


def _compared(index: ExchangeIndex, question: Question, weights: Weights) -> _Compared:
    terms = query_terms(index, question.message, question.language, _contexts(index, question, weights))
    # What is said now is no evidence of what was said before.
    in_history = index.places_of({earlier.text for earlier in question.before}) if question.before else []
    matches = match(index, terms, in_history)
    days = _days(index, question, weights)
    if in_history:
        days[np.isin(index.passage_places(), in_history)] = 0
    return _Compared(terms, matches, days, _signs(index, question, terms, matches, days, in_history))


def _contexts(index: ExchangeIndex, question: Question, weights: Weights) -> list[tuple[str, float]]:
    """The texts that a question follows up, and what the words of each count.

    The names in an answer count like the words of a message.
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
    """Whether a question has to do with anything in the index."""
    if question.is_search:
        return signs.message.coverage > 0 or signs.days > 0
    # What shares no word with any passage is not found by it, however much it sounds like its author's life.
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
        # What is said beside it is seldom of what is asked.
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
    """How many names a question has that were never said, nor any like them; ``terms`` are its words.

    0 if it seems to be neither English nor Italian: in German, all nouns have a capital.
    """
    if not question.is_in_known_language:
        return 0
    names = names_in(question.asked_unquoted)
    names = [name for name in names if may_be_name(name) and not index.is_name(name)]
    if not names:
        return 0
    others = [word for word in words_of(question.asked_unquoted) if word not in names]
    # Of a few words none need be a stop word: “Mercator projection year”.
    if _LEAST_STOP_WORDS * (len(others) - _FEW_WORDS) > sum(map(_ALL_STOP_WORDS.__contains__, others)):
        return 0
    said = {each for term in terms if any(map(index.frequency, term.stems)) for each in term.stems}
    return sum(said.isdisjoint(stems_in(name, index.languages)) for name in names)


def _names_speaker(index: ExchangeIndex, question: str) -> bool:
    """Whether a question names someone who speaks in copied chats: they say much that shares no word with it."""
    return not set(words_of(question)).isdisjoint(index.speakers())


def _days(index: ExchangeIndex, question: Question, weights: Weights) -> Floats:
    """What each passage is worth because of the days that the question names."""
    if not question.spans:
        return np.zeros(len(index.passage_places()), np.float32)
    said_then = index.said_within(question.spans)[index.passage_places()]
    return weights.named_day * index.naming(question.spans) + weights.said_then * said_then


def _best_applying(preferences: Applying, scores: Floats, weights: Weights) -> Floats:
    """What each preference that applies to a message is worth because of that; of many only the best ones are.

    ``scores`` are what all passages are worth otherwise. Of a long memory, preferences would take all of the budget.
    """
    found = np.zeros(len(scores), np.float32)
    if preferences.any.any():
        values = weights.applying + weights.on_occasion * preferences.on_occasion.astype(np.float32)
        best = greatest((scores + values) * preferences.any, _MOST_APPLYING)
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
    """What each passage is worth because of its words and of what is around it, and by its ``nearness`` in meaning."""
    places = index.passage_places()
    exchanges = _scaled(matches.exchanges)
    conversations = weights.conversation * _scaled(matches.conversations)
    # An exchange is a part of its conversation; only what is said elsewhere there is owed to that.
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
    """What every signal of each passage is multiplied with, because of what the passage is."""
    novelty = weights.novelty + weights.overview_novelty * question.asks_for_overview
    counts = 1 + novelty * index.novelty()[index.passage_places()]
    counts[index.spoken_by(words_of(question.message))] *= 1 + weights.speaker
    if not _ASKS_FOR_ANSWERS.search(folded(question.message)):
        counts[index.kinds(Kind.LONG_ANSWER)] *= weights.long_answer
    return counts


def _of_neighbours(index: ExchangeIndex, values: Floats, weights: Weights) -> Floats:
    """What each exchange gets of the values of those before and after it in its conversation."""
    padded, layout = np.append(values, np.float32(0)), index.layout()
    found: Floats = weights.previous * padded[layout.before] + weights.following * padded[layout.after]
    return found


def _of_exchanges(index: ExchangeIndex, values: Mapping[UUID, float]) -> Floats:
    """For each passage the value of its exchange; 0 if that has none or a negative one."""
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


def _chosen(index: ExchangeIndex, scores: Floats, room: "_Room", weights: Weights, history: str) -> dict[int, Passage]:
    """The passages that there is room for, by value per length, without those of ``history``; with their numbers."""
    found = np.flatnonzero(scores > weights.least * scores.max(initial=0.0))
    lengths = index.layout().passage_chars[found]
    value = scores[found] / (lengths + _SHORT) ** weights.length_exponent
    misfits = 0
    chosen, distinct = dict[int, Passage](), _DistinctTexts()
    said: dict[int, frozenset[int]] = {}
    """The terms of what was chosen of each exchange."""
    order = greatest(value, _CANDIDATES)
    kinds = index.layout().kinds[found[order]] & np.uint32(_CONTRARY)
    for number, length, kind in zip(found[order].tolist(), lengths[order].tolist(), kinds.tolist(), strict=True):
        if misfits > _MISFITS:
            break
        # Encoded it is no shorter, but for white space around it.
        if length > room.left + _DATED:
            misfits += 1
            continue
        passage = index.passage(number)
        cost = encoded_length(passage.text) + (_BETWEEN if passage.exchange in said else _DATED)
        if cost > room.left:
            misfits += 1
            continue
        if history and passage.text in history:
            continue
        terms = frozenset(index.term_list(number))
        # “I'm vegan” and “I'm not vegan any more” have the same words.
        if not distinct.add(terms | {-kind} if kind else terms):
            continue
        chosen[number] = passage
        said[passage.exchange] = said.get(passage.exchange, frozenset()) | terms
        room.take(cost, said[passage.exchange])
    return chosen


class _Room:
    """The characters that are ``left`` of a budget. ``beside`` is what others take that no passage says as well."""

    def __init__(self, index: ExchangeIndex, budget: int, beside: Sequence[Beside], spoken: str) -> None:
        found = [(_terms_in_its_language(index, each.text, spoken), each.chars) for each in beside]
        # What has a word that never occurs in an exchange is said by none. One word (“My name is Will”) says little.
        self._unsaid = [(terms, chars) for terms, chars in found if len(terms) > 1]
        self.beside = sum(each.chars for each in beside)
        self.left = budget - self.beside

    def take(self, chars: int, terms: frozenset[int]) -> None:
        """Give so much to a passage of an exchange, of which these terms are told now; and back what took room to say
        the same.
        """
        given_back = sum(freed for each, freed in self._unsaid if each <= terms)
        if given_back:
            self._unsaid = [(each, freed) for each, freed in self._unsaid if not each <= terms]
        self.beside -= given_back
        self.left += given_back - chars


def _terms_in_its_language(index: ExchangeIndex, text: str, spoken: str) -> frozenset[int]:
    """The terms of a text in a language in which the index has all of its words; empty if there is none.

    A text may be too short to tell its language. ``spoken`` is the user's.
    """
    words = words_of(text)
    for language in dict.fromkeys((language_of(words, spoken), *index.languages)):
        stems = set(stems_of(words, language))
        terms = index.terms_of(stems)
        if len(terms) == len(stems):
            return frozenset(terms)
    return frozenset()


class _DistinctTexts:
    """Texts of which no two say the same: ``_ALIKE`` of their terms.

    Two that do have one of their first terms in common, in any order of all terms that is the same for both (Chaudhuri
    et al., 2006), so each is compared with few others.
    """

    def __init__(self) -> None:
        self._by_term: defaultdict[int, list[frozenset[int]]] = defaultdict(list)

    def add(self, terms: frozenset[int]) -> bool:
        """Add a text by its terms; False if another one says the same."""
        # Later ones are rarer.
        first = sorted(terms, reverse=True)[: int(len(terms) * (1 - _ALIKE)) + 1]
        for term in first:
            for other in self._by_term.get(term, ()):
                # The common terms are at least ``_ALIKE`` of all terms of both.
                if len(terms & other) * (1 + _ALIKE) >= _ALIKE * (len(terms) + len(other)):
                    return False
        for term in first:
            self._by_term[term].append(terms)
        return True


def _make_room(chosen: dict[int, Passage], changes: Mapping[int, Change], budget: int) -> None:
    """Remove what was chosen last until notes of what was changed fit into the budget, too."""
    exchanges = {passage.exchange for passage in chosen.values()}
    spent = _BETWEEN * (len(chosen) - len(exchanges)) + _DATED * len(exchanges) + NOTE_CHARS * len(changes)
    spent += sum(encoded_length(passage.text) for passage in chosen.values())
    while spent > budget and chosen:
        number, passage = chosen.popitem()
        spent -= encoded_length(passage.text) + _BETWEEN + NOTE_CHARS * (number in changes)
