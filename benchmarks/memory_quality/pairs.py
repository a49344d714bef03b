"""Pairs of passages with their signs, to fit what finds changes with: of updates, cases and personas. Pure."""

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
from benchmarks.memory_quality.conversations import content_words, told
from benchmarks.memory_quality.personas import Persona
from benchmarks.memory_quality.updates import Update, worded
from memory.search.bm25 import greatest
from memory.search.changes import compared_pairs
from memory.search.index import ExchangeIndex
from memory.search.kinds import Kind
from memory.search.question import Question
from memory.search.ranking import ranked
from memory.search.weights import WEIGHTS

TELL_ALL: Final = replace(WEIGHTS, floor=float("-inf"))
"""Something is told for every question."""
_TOLD: Final = 40
"""About so many passages are told for a question."""
_RELEVANT: Final = 0.15
"""Passages that are worth less than this share of the most valuable one are many, and hardly matter."""
_OTHERS: Final = 10
"""Pairs of an origin that has many which are taken for a question, of hundreds."""
_SEED: Final = 1


class Origin(Enum):
    """Where a pair is from."""

    UPDATE = auto()
    """Both messages are of one update: the same is meant, and the question is about it."""
    CASE = auto()
    """The same, of one case."""
    OTHERS = auto()
    """Passages that just were found for the same question."""
    PERSONA = auto()
    """The same, where the earlier one is what a persona asks for, and holds."""


_HAVE_MANY: Final = (Origin.OTHERS, Origin.PERSONA)


@dataclass(frozen=True, slots=True)
class Sample:
    """A pair with its ``signs``, but for ``WORDING``, and whether the later passage has changed the earlier one.

    ``texts`` are the earlier one, the later one and the question. ``author`` wrote it.
    """

    signs: NDArray[np.float32]
    texts: tuple[str, str, str]
    is_changed: bool
    origin: Origin
    author: str

    @property
    def features(self) -> frozenset[str]:
        """Those of its wording."""
        return worded(*self.texts)


def of_updates(updates: Sequence[Update]) -> Iterator[Sample]:
    """The pairs of one author's updates."""
    index, chance = memory_updates.indexed(updates), np.random.default_rng(_SEED)
    for number, update in enumerate(updates):
        yield from _of_update(index, number, update, chance)


def _of_update(index: ExchangeIndex, number: int, update: Update, chance: np.random.Generator) -> Iterator[Sample]:
    earlier, later = (_said_by_user(index, [UUID(int=2 * number + side)]) for side in (0, 1))

    def judged(before: int, after: int) -> tuple[Origin, bool] | None:
        if before in earlier and after in later:
            return Origin.UPDATE, update.is_changed
        return None if before in later else (Origin.OTHERS, False)

    return _samples(index, update.asked(), earlier | later, judged, update.author, chance)


def of_cases(cases: Iterable[Case]) -> Iterator[Sample]:
    """The pairs of cases."""
    chance = np.random.default_rng(_SEED)
    for case in cases:
        # In a conversation a question may not name what it is about.
        if not (case.nothing or case.before):
            yield from _of_case(case, chance)


def _of_case(case: Case, chance: np.random.Generator) -> Iterator[Sample]:
    index = memory_cases.indexed(case)
    own = _said_by_user(
        index, [UUID(int=place) for place, turn in enumerate(case.turns) if turn.session.startswith(case.name)]
    )
    current = [text for text in case.evidence if text not in case.superseded]

    def tells(number: int, texts: Iterable[str]) -> bool:
        words = content_words(index.passage(number).text, case.language)
        return any(told(text, [words], case.language) for text in texts)

    def judged(before: int, after: int) -> tuple[Origin, bool] | None:
        if tells(before, case.superseded) and not tells(before, current):
            if tells(after, current):
                return Origin.CASE, True
            # What else of the case changes it is not said.
            return None if after in own else (Origin.OTHERS, False)
        return (Origin.CASE if before in own and after in own else Origin.OTHERS), False

    return _samples(index, memory_cases.question_of(case), own, judged, f"cases of {case.category}", chance)


def of_persona(persona: Persona) -> Iterator[Sample]:
    """The pairs of what a persona's messages ask for, which holds, and of what else is found for them."""
    index, chance = persona.index(), np.random.default_rng(_SEED)
    for message in persona.asked:
        if message.needs:
            needed = _said_by_user(index, [UUID(int=number) for number in message.needs])
            yield from _of_asked(index, persona, message.text, needed, chance)


def _of_asked(
    index: ExchangeIndex, persona: Persona, text: str, needed: AbstractSet[int], chance: np.random.Generator
) -> Iterator[Sample]:
    def judged(before: int, _: int) -> tuple[Origin, bool] | None:
        return (Origin.PERSONA, False) if before in needed else None

    return _samples(index, persona.question(text), needed, judged, persona.author, chance)


def _said_by_user(index: ExchangeIndex, ids: Iterable[UUID]) -> frozenset[int]:
    """The passages of what the user said in these exchanges."""
    places = [place for each in ids if (place := index.place_of(each)) is not None]
    found = np.flatnonzero(np.isin(index.passage_places(), places) & ~index.kinds(Kind.ANSWER))
    return frozenset(found.tolist())


def _samples(
    index: ExchangeIndex,
    question: Question,
    own: AbstractSet[int],
    judged: Callable[[int, int], tuple[Origin, bool] | None],
    author: str,
    chance: np.random.Generator,
) -> Iterator[Sample]:
    """The pairs of passages ``own``, and some of what else is found for ``question``, as ``judged``."""
    found = ranked(index, question, TELL_ALL)
    if found is None:
        return
    passages = list(dict.fromkeys([*greatest(found.scores, _TOLD), *sorted(own)]))
    compared = compared_pairs(index, passages, found.scores, found.terms, question.message)
    if compared is None:
        return
    earlier, pairs = compared
    relevant = found.scores[earlier] >= _RELEVANT * found.scores.max()
    rows, columns = np.nonzero(pairs.may_change() & relevant[:, None])
    verdicts = [judged(earlier[row], int(pairs.later[column])) for row, column in zip(rows, columns, strict=True)]
    kept = [place for place, verdict in enumerate(verdicts) if verdict and verdict[0] not in _HAVE_MANY]
    others = [place for place, verdict in enumerate(verdicts) if verdict and verdict[0] in _HAVE_MANY]
    kept += chance.choice(others, min(_OTHERS, len(others)), replace=False).tolist() if others else []
    if not kept:
        return
    signs = pairs.signs()[:, rows[kept], columns[kept]]
    for place, values in zip(kept, signs.T, strict=True):
        if verdict := verdicts[place]:
            before, after = earlier[rows[place]], int(pairs.later[columns[place]])
            texts = (index.passage(before).text, index.passage(after).text, question.message)
            yield Sample(values, texts, verdict[1], verdict[0], author)
