"""Facts as they are drawn from an exchange, and how two of them relate. Pure."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final, Self
from uuid import UUID

from memory.exchange import TouchedRow
from memory.search.change_words import ANSWER_CHARS, gives_reason, negates, new_things, says_change
from memory.search.dates import calendar_stems
from memory.search.values import ValueType, values_of
from memory.search.words import comparable, language_of, stems_of, words_of

_ALIKE: Final = 0.85
"""The share of common words above which two statements say the same."""
_MIN_WORDS: Final = 3
"""A statement with fewer words is not made more precise by one that repeats them."""


class Relation(StrEnum):
    """How a statement relates to an earlier one that it supersedes. Without a relation it is new."""

    SAME = "same"
    PRECISE = "more_precise"
    CONTRADICTS = "contradicts"
    CORRECTS = "corrects"
    """The owner has decided that the other one was never true."""


RESTATES: Final = (Relation.SAME, Relation.PRECISE, Relation.CORRECTS)
"""The relations of statements that are forgotten together."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DrawnFact:
    """A statement of the user's, and what it is compared by.

    ``evidence`` are the user's words that state it. ``slot`` names something that has one ``value`` at a time, such as
    ``home``; it is empty for other statements. ``ends`` is the value of which the statement says that it is over.
    ``holds`` says in words when the statement holds. ``applies_to`` has a model's words for the requests to which a
    preference applies. ``relation`` is, according to a model, how it relates to the fact ``known``.
    """

    statement: str
    evidence: str = ""
    subject: str = ""
    slot: str = ""
    value: str = ""
    ends: str = ""
    holds: str = ""
    applies_to: str = ""
    row: TouchedRow | None = None
    known: UUID | None = None
    relation: Relation | None = None

    def details(self) -> str:
        """What is stored beside the statement, as JSON."""
        return json.dumps([self.subject, self.slot, self.value, self.holds, self.applies_to])


@dataclass(frozen=True, kw_only=True, slots=True)
class KnownFact:
    """A fact that is stored, and what it is compared by. ``at`` is when it was said, or when its owner corrected it."""

    id: UUID
    statement: str
    at: datetime
    subject: str = ""
    slot: str = ""
    value: str = ""
    holds: str = ""
    applies_to: str = ""

    @classmethod
    def of(cls, row_id: UUID, statement: str, details: str, at: datetime) -> Self:
        """The fact of a row. ``details`` was written by ``DrawnFact.details``, or is empty."""
        # Rows of earlier releases have fewer values.
        names = ("subject", "slot", "value", "holds", "applies_to")
        return cls(id=row_id, statement=statement, at=at, **dict(zip(names, json.loads(details or "[]"), strict=False)))


@dataclass(frozen=True, kw_only=True, slots=True)
class Supersession:
    """A new fact supersedes the ``known`` one; with ``known_stays``, the known one supersedes the new one."""

    known: KnownFact
    relation: Relation
    known_stays: bool = False


def nearest_known(text: str, known: Sequence[KnownFact], *, limit: int) -> list[KnownFact]:
    """The facts with most words in common with ``text``, most first; of those with as many the latest first."""
    words = frozenset(content_words(text))
    ranked = sorted(known, key=lambda fact: (len(words & frozenset(content_words(fact.statement))), fact.at))
    return ranked[::-1][:limit]


def is_borne_out(fact: KnownFact, relation: Relation, said: str, answer: str = "") -> bool:
    """Whether ``said``, the user's own words, supports a model's claim that it has this ``relation`` to ``fact``.

    It may contradict the fact if it has one of the fact's words and says that something changes, or if it has half of
    the words and a number, a name or the like that the fact does not have. It may repeat the fact if it has half of the
    words and all of the fact's numbers and names. Days do not count as words, because much is said of any Tuesday. The
    ``answer`` only helps to find out what changes, because it may repeat text that others have written.
    """
    words, of_fact = _without_days(said), _without_days(fact.statement)
    common = words & of_fact
    has_half = bool(common) and 2 * len(common) >= len(of_fact)
    ours, theirs = _values(said), _values(fact.statement)
    if relation is not Relation.CONTRADICTS:
        return has_half and all(values <= ours.get(kind, frozenset()) for kind, values in theirs.items())
    if has_half and any(values - theirs.get(kind, frozenset()) for kind, values in ours.items()):
        return True
    plain = comparable(said)
    says_so = says_change(plain) or negates(plain) or bool(new_things(plain)) or gives_reason(plain, words_of(plain))
    named = words | _without_days(answer[:ANSWER_CHARS])
    return says_so and bool(named & (of_fact | _without_days(fact.subject)))


def related(new: DrawnFact, known: Iterable[KnownFact], *, at: datetime) -> list[Supersession]:
    """How ``new``, said at ``at``, relates to the current facts; empty if it relates to none.

    Of two that say the same or contradict each other, the one that was said later stays current, even if it was stored
    first. Otherwise the more precise one does.
    """
    found = []
    for fact in known:
        relation, reversed_ = _relation(new, fact)
        if relation is not None:
            stays = reversed_ or (relation is not Relation.PRECISE and fact.at > at)
            found.append(Supersession(known=fact, relation=relation, known_stays=stays))
    return found


def _relation(new: DrawnFact, fact: KnownFact) -> tuple[Relation | None, bool]:
    """The relation, and whether the known fact is the more precise one."""
    if new.relation is not None and new.known == fact.id:
        return new.relation, False
    if new.slot and new.slot == fact.slot:
        return _of_values(new, fact)
    if new.slot and fact.slot:
        return None, False
    return _of_words(frozenset(content_words(new.statement)), frozenset(content_words(fact.statement)))


def _of_values(new: DrawnFact, fact: KnownFact) -> tuple[Relation | None, bool]:
    if new.ends:
        ended = set(words_of(new.ends)) <= set(words_of(fact.value))
        return (Relation.CONTRADICTS if ended else None), False
    ours, theirs = set(words_of(new.value)), set(words_of(fact.value))
    if not ours or not theirs:
        return None, False
    if ours == theirs:
        return Relation.SAME, False
    if _numbers(ours) != _numbers(theirs) and _numbers(ours) and _numbers(theirs):
        return Relation.CONTRADICTS, False
    if ours < theirs:
        return Relation.PRECISE, True
    if theirs < ours:
        return Relation.PRECISE, False
    return Relation.CONTRADICTS, False


def _of_words(ours: frozenset[str], theirs: frozenset[str]) -> tuple[Relation | None, bool]:
    common = len(ours & theirs)
    if common and common >= _ALIKE * len(ours | theirs):
        return Relation.SAME, False
    if len(theirs) >= _MIN_WORDS and theirs < ours:
        return Relation.PRECISE, False
    if len(ours) >= _MIN_WORDS and ours < theirs:
        return Relation.PRECISE, True
    return None, False


def _numbers(words: set[str]) -> set[str]:
    return {word for word in words if word.isdigit()}


def content_words(text: str) -> list[str]:
    """The stems of ``text`` without stop words."""
    return _stemmed(text)[0]


def _values(text: str) -> Mapping[ValueType, frozenset[str]]:
    """The numbers, names, colours and days in ``text``, by type."""
    plain = comparable(text)
    return values_of(text, plain, words_of(plain))


def _without_days(text: str) -> frozenset[str]:
    """As ``content_words``, without months and weekdays."""
    stems, language = _stemmed(text)
    return frozenset(stems) - calendar_stems(language)


def _stemmed(text: str) -> tuple[list[str], str]:
    """The stems, and the language that the text is taken to be in."""
    words = words_of(text)
    language = language_of(words, "en")
    return stems_of(words, language), language
