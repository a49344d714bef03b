"""Labelled pairs of passages, from updates, cases and personas, to train the network that finds changes. Pure."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Final
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from benchmarks.memory_quality import cases as memory_cases
from benchmarks.memory_quality import updates as memory_updates
from benchmarks.memory_quality.cases import Case
from benchmarks.memory_quality.conversations import content_words, is_recalled
from benchmarks.memory_quality.personas import Persona
from benchmarks.memory_quality.updates import Update, wording_features
from memory.search.bm25 import greatest
from memory.search.changes import candidate_pairs
from memory.search.index import ExchangeIndex
from memory.search.kinds import Kind
from memory.search.question import Question
from memory.search.ranking import ranked
from memory.search.weights import WEIGHTS

RECALL_ALL: Final = replace(WEIGHTS, floor=float("-inf"))
"""Weights without the relevance threshold: something is recalled for every question."""
_RECALLED: Final = 40
"""About how many passages are recalled for a question."""
_MIN_SCORE: Final = 0.15
"""Passages with less than this share of the best score are left out, because they are many and hardly matter."""
_MAX_SAMPLED: Final = 10
"""How many pairs for each question are sampled from those of ``_SAMPLED_ORIGINS``, which are hundreds."""
_SEED: Final = 1


class Origin(Enum):
    """The origin of a pair."""

    UPDATE = auto()
    """Both passages are statements of one update, about which the question asks."""
    CASE = auto()
    """Both passages are statements of one case."""
    RETRIEVED = auto()
    """Both passages were merely retrieved for the same question."""
    PERSONA = auto()
    """The earlier passage is evidence for a persona's question, and holds. The later one was merely retrieved."""


_SAMPLED_ORIGINS: Final = (Origin.RETRIEVED, Origin.PERSONA)


@dataclass(frozen=True, slots=True)
class Sample:
    """The values of the features of a pair, except ``WORDING``, and whether the later passage changed the earlier one.

    ``texts`` are the earlier passage, the later one and the question.
    """

    values: NDArray[np.float32]
    texts: tuple[str, str, str]
    is_changed: bool
    origin: Origin
    author: str

    @property
    def wording_features(self) -> frozenset[str]:
        return wording_features(*self.texts)


def of_updates(updates: Sequence[Update]) -> Iterator[Sample]:
    """The pairs of one author's updates."""
    index, rng = memory_updates.indexed(updates), np.random.default_rng(_SEED)
    for number, update in enumerate(updates):
        yield from _of_update(index, number, update, rng)


def _of_update(index: ExchangeIndex, number: int, update: Update, rng: np.random.Generator) -> Iterator[Sample]:
    earlier, later = (_said_by_user(index, [UUID(int=2 * number + side)]) for side in (0, 1))

    def label(before: int, after: int) -> tuple[Origin, bool] | None:
        if before in earlier and after in later:
            return Origin.UPDATE, update.is_changed
        return None if before in later else (Origin.RETRIEVED, False)

    return _samples(index, update.asked(), earlier | later, label, update.author, rng)


def of_cases(cases: Iterable[Case]) -> Iterator[Sample]:
    """The pairs of cases."""
    rng = np.random.default_rng(_SEED)
    for case in cases:
        # Within a conversation, a question need not mention its topic.
        if not (case.nothing or case.before):
            yield from _of_case(case, rng)


def _of_case(case: Case, rng: np.random.Generator) -> Iterator[Sample]:
    index = memory_cases.indexed(case)
    own = _said_by_user(
        index, [UUID(int=number) for number, turn in enumerate(case.turns) if turn.session.startswith(case.name)]
    )
    current = [text for text in case.evidence if text not in case.superseded]

    def says(number: int, texts: Iterable[str]) -> bool:
        words = content_words(index.passage(number).text, case.language)
        return any(is_recalled(text, [words], case.language) for text in texts)

    def label(before: int, after: int) -> tuple[Origin, bool] | None:
        if says(before, case.superseded) and not says(before, current):
            if says(after, current):
                return Origin.CASE, True
            # The case does not say whether its other statements change this one.
            return None if after in own else (Origin.RETRIEVED, False)
        return (Origin.CASE if before in own and after in own else Origin.RETRIEVED), False

    return _samples(index, memory_cases.question_of(case), own, label, f"cases of {case.category}", rng)


def of_persona(persona: Persona) -> Iterator[Sample]:
    """The pairs of the evidence for a persona's messages, which holds, and other passages retrieved for them."""
    index, rng = persona.index(), np.random.default_rng(_SEED)
    for message in persona.asked:
        if message.needs:
            needed = _said_by_user(index, [UUID(int=number) for number in message.needs])
            yield from _of_asked(index, persona, message.text, needed, rng)


def _of_asked(
    index: ExchangeIndex, persona: Persona, text: str, needed: AbstractSet[int], rng: np.random.Generator
) -> Iterator[Sample]:
    def label(before: int, _: int) -> tuple[Origin, bool] | None:
        return (Origin.PERSONA, False) if before in needed else None

    return _samples(index, persona.question(text), needed, label, persona.author, rng)


def _said_by_user(index: ExchangeIndex, ids: Iterable[UUID]) -> frozenset[int]:
    """The passages of the user's messages in these exchanges."""
    positions = [position for each in ids if (position := index.position_of(each)) is not None]
    found = np.flatnonzero(np.isin(index.passage_exchanges(), positions) & ~index.of_kind(Kind.ANSWER))
    return frozenset(found.tolist())


def _samples(
    index: ExchangeIndex,
    question: Question,
    own: AbstractSet[int],
    label: Callable[[int, int], tuple[Origin, bool] | None],
    author: str,
    rng: np.random.Generator,
) -> Iterator[Sample]:
    """The pairs of ``own`` and retrieved passages that have a ``label``: the origin, and whether the later one changed
    the earlier one. Those of ``_SAMPLED_ORIGINS`` are sampled.
    """
    ranking = ranked(index, question, RECALL_ALL)
    if ranking is None:
        return
    passages = list(dict.fromkeys([*greatest(ranking.scores, _RECALLED), *sorted(own)]))
    candidates = candidate_pairs(index, passages, ranking.scores, ranking.terms, question.message)
    if candidates is None:
        return
    earlier, pairs = candidates
    is_relevant = ranking.scores[earlier] >= _MIN_SCORE * ranking.scores.max()
    rows, columns = np.nonzero(pairs.can_change() & is_relevant[:, None])
    labels = [label(earlier[row], int(pairs.later[column])) for row, column in zip(rows, columns, strict=True)]
    kept = [number for number, each in enumerate(labels) if each and each[0] not in _SAMPLED_ORIGINS]
    many = [number for number, each in enumerate(labels) if each and each[0] in _SAMPLED_ORIGINS]
    kept += rng.choice(many, min(_MAX_SAMPLED, len(many)), replace=False).tolist() if many else []
    if not kept:
        return
    features = pairs.features()[:, rows[kept], columns[kept]]
    for pair, values in zip(kept, features.T, strict=True):
        if found := labels[pair]:
            origin, is_changed = found
            before, after = earlier[rows[pair]], int(pairs.later[columns[pair]])
            texts = (index.passage(before).text, index.passage(after).text, question.message)
            yield Sample(values, texts, is_changed, origin, author)
