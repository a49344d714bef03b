"""The decrypted facts of one user: which of them a message is about, and which are no longer true.

It is part of the user's cached index, and is dropped with it. Each turn reads in its one statement what has changed
(``FactChanges``) before it searches.
"""

import math
import sys
import threading
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Final, NamedTuple
from uuid import UUID

from accounts.cipher import Place
from accounts.keys.vault import Vault
from memory.drawn import KnownFact, Relation, content_words
from memory.models import MemoryAssociative, decrypted, readable
from memory.outdated import Outdated
from memory.plain_facts import words_about
from memory.search.applying import stems_that_apply
from memory.search.follow_ups import full_text
from memory.search.persons import names_in
from memory.search.preferences import is_preference, may_constrain
from memory.search.question import Question
from memory.search.words import asked_words, comparable, is_common, primary_language, stems_of, words_of

MAX_FACTS: Final = 1_000
"""How many facts are held at most. They are the ones that changed last."""
_MIN_SHARE: Final = 0.4
"""The share of a question's words that a fact must have, unless it has a name that the question names."""
_APPLYING: Final = 0.3
"""The score of a preference that applies to the message."""
_MANY_WORDS: Final = 8
"""A message with more words than this is about several things."""
_LANGUAGES: Final = ("en", "it")
# A word that states an opinion does not say what the opinion is about.
_WEAK: Final = frozenset(words_of("like love enjoy prefer hate dislike piace piacciono adoro odio detesto preferisco"))
_FACT_BYTES: Final = 2_000
"""The size of a fact without its texts and stems."""
_STEM_BYTES: Final = 90
"""The size of each of its stems."""
_TABLE: Final = MemoryAssociative._meta.db_table  # noqa: SLF001 - Django's public name for it


class StoredFact(NamedTuple):
    """A fact's row, with its texts encrypted."""

    id: UUID
    said_at: datetime
    content: str
    details: str
    evidence: str
    said_in: UUID | None
    superseded_by: UUID | None
    superseded_as: str
    superseded_at: datetime | None
    corrected_at: datetime | None
    entity_type: str
    entity_id: str


@dataclass(frozen=True, kw_only=True, slots=True)
class FactChanges:
    """The changes to facts that one statement has read, like ``memory.index_cache.Changes``."""

    latest: int
    rows: Sequence[StoredFact]
    forgotten: frozenset[int]
    kept: frozenset[int] | None
    vault: Vault


@dataclass(frozen=True, kw_only=True, slots=True)
class HeldFact:
    """A decrypted fact."""

    row: StoredFact
    known: KnownFact
    evidence: str
    stems: frozenset[str]
    applies_to: frozenset[str]
    """The stems of the requests that it applies to."""

    @property
    def size(self) -> int:
        """Its approximate size in bytes."""
        texts = sys.getsizeof(self.known.statement) + sys.getsizeof(self.evidence)
        return _FACT_BYTES + texts + _STEM_BYTES * (len(self.stems) + len(self.applies_to))

    @property
    def is_current(self) -> bool:
        return self.row.superseded_by is None

    @property
    def is_as_said(self) -> bool:
        """Whether it has the words of an exchange, which its owner has not corrected."""
        return self.row.said_in is not None and self.row.corrected_at is None


class FactIndex:
    """The facts of one user as of ``revision``. Any number of threads may use it."""

    def __init__(self) -> None:
        self.revision = -1
        self.size = 0
        """Its approximate size in bytes."""
        self._facts: dict[UUID, HeldFact] = {}
        self._lock = threading.Lock()

    def apply(self, changes: FactChanges) -> None:
        """Apply ``changes``, unless later ones were applied already. Rows that cannot be decrypted are left out."""
        with self._lock:
            if changes.latest <= self.revision:
                return
            # If so many have changed, there may be more than were read.
            facts = dict(self._facts) if len(changes.rows) < MAX_FACTS else {}
            for row in changes.rows:
                facts.pop(row.id, None)
            facts.update((fact.row.id, fact) for fact in readable(changes.rows, lambda row: _held(changes.vault, row)))
            if changes.forgotten:
                facts = {row_id: fact for row_id, fact in facts.items() if row_id.int not in changes.forgotten}
            if changes.kept is not None:
                facts = {row_id: fact for row_id, fact in facts.items() if row_id.int in changes.kept}
            # They are in the order in which they changed.
            facts = dict(islice(facts.items(), max(len(facts) - MAX_FACTS, 0), None))
            # Replaced and never modified, because other threads may be reading it.
            self._facts, self.revision = facts, changes.latest
            self.size = sum(fact.size for fact in facts.values())

    def about(
        self, question: Question, similar: Mapping[UUID, float], *, limit: int
    ) -> list[tuple[HeldFact, tuple[str, ...]]]:
        """The facts that ``question`` is about, best first, each with the signals by which it was found.

        ``similar`` has the similarities by meaning that are known. Contradicted facts are included only for a question
        about the past.
        """
        language, past = question.language, question.past
        facts = [fact for fact in self._facts.values() if fact.is_current or (past and _was_true(fact))]
        if not facts:
            return []
        text = full_text(question.text, question.before)
        coverage = _coverage(_asked(text, language), {fact.row.id: fact.stems for fact in facts}, _named(text))
        applying = _applying(question, facts)
        found = []
        for fact in facts:
            row_id = fact.row.id
            words, meaning = coverage.get(row_id, 0.0), similar.get(row_id, 0.0)
            preference = _APPLYING if row_id in applying else 0.0
            if words or meaning or preference:
                signals = [("words", words), ("meaning", meaning), ("preference", preference)]
                why = [name for name, score in sorted(signals, key=lambda signal: -signal[1]) if score]
                found.append((max(words, meaning, preference), fact, tuple(why)))
        found.sort(key=lambda each: (-each[0], -each[1].known.at.timestamp()))
        return [(fact, why) for _, fact, why in found[:limit]]

    def outdated(self) -> dict[UUID, list[Outdated]]:
        """The statements that are no longer true, by the exchange in which they were said."""
        facts, found = self._facts, defaultdict[UUID, list[Outdated]](list)
        for fact in facts.values():
            if fact.row.said_in is not None and (since := _outdated_since(fact, facts)) is not None:
                found[fact.row.said_in].append(Outdated(evidence=fact.evidence, since=since))
        return found


def _outdated_since(fact: HeldFact, facts: Mapping[UUID, HeldFact]) -> datetime | None:
    """Since when ``fact`` is no longer true: it was contradicted or corrected, or a fact that superseded it was."""
    seen: set[UUID] = set()
    held: HeldFact | None = fact
    while held is not None and held.row.superseded_by is not None and held.row.id not in seen:
        seen.add(held.row.id)
        if held.row.superseded_as in (Relation.CONTRADICTS, Relation.CORRECTS):
            return held.row.superseded_at
        held = facts.get(held.row.superseded_by)
    return None


def _was_true(fact: HeldFact) -> bool:
    return fact.row.superseded_as == Relation.CONTRADICTS


def _asked(question: str, language: str) -> list[frozenset[str]]:
    """The stems of each word of ``question``, in every language in which facts are found."""
    words = asked_words(question, language)
    kept = [word for word in words if word not in _WEAK] or words
    languages = dict.fromkeys((*_LANGUAGES, primary_language(language)))
    return [
        stems for word in kept if (stems := frozenset(stem for each in languages for stem in stems_of([word], each)))
    ]


def _named(question: str) -> frozenset[str]:
    """The stems of the names in ``question``."""
    return frozenset(_in_all_languages(names_in(question)))


def shares_of_words(query: str, texts: Mapping[UUID, str], language: str) -> dict[UUID, float]:
    """The share (0 to 1) of the words of ``query`` that each of ``texts`` has. Rarer words count more.

    Only texts are included that have a share of ``_MIN_SHARE`` or one of the query's names. ``language`` is the user's.
    """
    stems = {row_id: frozenset(content_words(text)) for row_id, text in texts.items()}
    return _coverage(_asked(query, language), stems, _named(query))


def _coverage(
    asked: Sequence[frozenset[str]], facts: Mapping[UUID, frozenset[str]], names: frozenset[str]
) -> dict[UUID, float]:
    """As ``shares_of_words``, for facts that are given by their stems."""
    if not asked:
        return {}
    wanted, count = names.union(*asked), len(facts)
    facts = {row_id: stems for row_id, stems in facts.items() if not wanted.isdisjoint(stems)}
    having = [[row_id for row_id, stems in facts.items() if word & stems] for word in asked]
    weights = [1 + math.log1p(count / (1 + len(ids))) for ids in having]
    total = sum(weights) * min(1.0, _MANY_WORDS / len(asked))
    covered: defaultdict[UUID, float] = defaultdict(float)
    for weight, ids in zip(weights, having, strict=True):
        for row_id in ids:
            covered[row_id] += weight / total
    named = {row_id for row_id, stems in facts.items() if names & stems}
    return {row_id: min(share, 1.0) for row_id, share in covered.items() if share >= _MIN_SHARE or row_id in named}


def _applying(question: Question, facts: Sequence[HeldFact]) -> frozenset[UUID]:
    """The preferences that apply to ``question`` without being named: by its occasion, or by what a model has noted."""
    if not question.preferences_may_apply:
        return frozenset()
    stems = stems_that_apply(question.request, _LANGUAGES)
    asked = frozenset[str]().union(*_asked(question.asked, question.language))
    return frozenset(
        fact.row.id
        for fact in facts
        if not asked.isdisjoint(fact.applies_to) or (not stems.isdisjoint(fact.stems) and _is_preference(fact.known))
    )


def _is_preference(known: KnownFact) -> bool:
    statement = known.statement
    return is_preference(statement) or may_constrain(comparable(statement), words_of(statement))


def _held(vault: Vault, row: StoredFact) -> HeldFact:
    """Decrypt ``row``. Raises ``UnreadableRow``."""

    def text(column: str, token: str) -> str:
        return decrypted(vault, Place(table=_TABLE, column=column, row_id=row.id), token) if token else ""

    content, details = text("content_encrypted", row.content), text("details_encrypted", row.details)
    known = KnownFact.of(row.id, content, details, row.corrected_at or row.said_at)
    kept = row._replace(content="", details="", evidence="")
    applies_to = frozenset(_in_all_languages([word for word in words_of(known.applies_to) if not is_common(word)]))
    evidence = text("evidence_encrypted", row.evidence)
    return HeldFact(row=kept, known=known, evidence=evidence, stems=_stems(known), applies_to=applies_to)


def _stems(known: KnownFact) -> frozenset[str]:
    about = words_of(f"{known.subject} {words_about(known.slot) if known.slot else ''}")
    return frozenset([*content_words(known.statement), *_in_all_languages(about)])


def _in_all_languages(words: Sequence[str]) -> Iterable[str]:
    return (stem for language in _LANGUAGES for stem in stems_of(list(words), language))
