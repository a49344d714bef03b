"""Fit what tells whether a message has to do with the memory again: ``python -m benchmarks.memory_quality.fitting``.

First the classifier of ``memory/search/wording.py``, with the messages in ``messages/``; its file is written. Then the
model of ``memory/search/relevance.py``, with ``cases/`` and ``unseen/``, never with ``held_out/``: its weights are
printed, in the order of ``WEIGHTS``. Printed is also what either is worth for messages and cases that were left out.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.memory_quality.cases import CASES, UNSEEN, Case, indexed, judged, question_of, read_cases, searched
from memory.search import wording
from memory.search.hashes import hash_of
from memory.search.ranking import WEIGHTS, signs_of
from memory.search.relevance import Signs
from memory.search.requests import asking_sentences, is_closing, without_quotes

MESSAGES: Final = Path(__file__).with_name("messages")
"""A file for each author. A line is “own” or “general”, a tab, and a message about its author's life or not."""

_FOLDS: Final = 8
_ROUNDS: Final = 60
_RIDGE: Final = 1.0
_RELATED: Final = 0.25
"""What a related question counts: there are five times as many. What only the memory can know counts 1."""
_LEFT_OUT: Final = "paraphrases"
"""What shares no word with what was said cannot be told from what has nothing to do with it."""

_WORDING_RIDGE: Final = 0.1
_WORDING_ROUNDS: Final = 1_000
_POWER_ROUNDS: Final = 60
_FEWEST: Final = 3
"""A feature that fewer messages have is left out."""

_Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Message:
    features: frozenset[str]
    is_own: bool
    author: str


@dataclass(frozen=True, slots=True)
class _Sample:
    signs: Signs
    is_related: bool

    @property
    def weight(self) -> float:
        return _RELATED if self.is_related and not self.signs.is_of_own_life else 1.0


class _Classifier:
    """A logistic regression over the features of messages, each as weighty as the others in its message."""

    def __init__(self, messages: Sequence[_Message]) -> None:
        counts = Counter(chain.from_iterable(message.features for message in messages))
        known = sorted(feature for feature, count in counts.items() if count >= _FEWEST)
        self._places = {feature: place for place, feature in enumerate(known)}
        row, column, value = self._sparse(messages)
        sign = np.where([message.is_own for message in messages], 1.0, -1.0)

        def times(weights: _Floats) -> _Floats:
            return _summed(row, value * weights[column], len(messages))

        def transposed(values: _Floats) -> _Floats:
            return _summed(column, value * values[row], len(self._places))

        # Nesterov's accelerated gradient method, with the step that the greatest curvature allows.
        greatest = np.ones(len(self._places))
        for _ in range(_POWER_ROUNDS):
            greatest = transposed(times(greatest / np.linalg.norm(greatest)))
        step = 1 / (0.25 * float(np.linalg.norm(greatest)) + _WORDING_RIDGE)
        momentum = (1 - np.sqrt(step * _WORDING_RIDGE)) / (1 + np.sqrt(step * _WORDING_RIDGE))
        self._weights = ahead = np.zeros(len(self._places))
        for _ in range(_WORDING_ROUNDS):
            slope = transposed(-sign / (1 + np.exp(sign * times(ahead)))) + _WORDING_RIDGE * ahead
            before, self._weights = self._weights, ahead - step * slope
            ahead = self._weights + momentum * (self._weights - before)

    def log_odds(self, messages: Sequence[_Message]) -> _Floats:
        """Of each message, that it is about its author's life."""
        row, column, value = self._sparse(messages)
        return _summed(row, value * self._weights[column], len(messages))

    def entries(self) -> NDArray[np.void]:
        """The weights by hashes, as ``wording.PATH`` has them."""
        weights = dict[int, float]()
        for feature, place in self._places.items():
            number = hash_of(feature)
            weights[number] = weights.get(number, 0.0) + float(self._weights[place])
        return np.array(sorted(weights.items()), wording.ENTRY)

    def _sparse(self, messages: Sequence[_Message]) -> tuple[NDArray[np.intp], NDArray[np.intp], _Floats]:
        """The rows, columns and values of a matrix of messages and features."""
        known = [[self._places[each] for each in message.features if each in self._places] for message in messages]
        lengths = np.array(list(map(len, known)))
        row = np.repeat(np.arange(len(messages)), lengths)
        return row, np.array(list(chain.from_iterable(known)), np.intp), 1 / np.sqrt(lengths[row])


def _summed(places: NDArray[np.intp], values: _Floats, length: int) -> _Floats:
    """The sums of the values at each place."""
    found: _Floats = np.bincount(places, values, minlength=length).astype(np.float64)
    return found


def messages_in(folder: Path = MESSAGES) -> list[_Message]:
    """All messages. Raises ``ValueError`` for a line that is not one."""
    found = []
    for path in sorted(folder.glob("*.txt")):
        for line in path.read_text(encoding="utf-8").splitlines():
            kind, _, text = line.partition("\t")
            if kind not in ("own", "general") or not text:
                raise ValueError(f"{path.name} has a line that is no message: {line}")
            asked = without_quotes(asking_sentences(text))
            found.append(_Message(frozenset(wording.features_of(asked)), kind == "own", path.stem))
    return found


def samples(cases: Sequence[Case]) -> list[_Sample]:
    """The cases that have to do with nothing, and those whose evidence is found if anything is told."""
    told = replace(WEIGHTS, floor=float("-inf"))
    kept = [case for case in cases if case.category != _LEFT_OUT and not is_closing(case.ask)]
    kept = [case for case in kept if case.nothing or not judged(case, searched(case, told)).missing]
    return [_Sample(signs_of(indexed(case), question_of(case)), not case.nothing) for case in kept]


def fitted(values: _Floats, related: _Floats, weights: _Floats) -> _Floats:
    """The weights of a logistic regression, by Newton's method; ``values`` is (samples, variables)."""
    found: _Floats = np.zeros(values.shape[1])
    penalty = _RIDGE * np.array([0.0, *[1.0] * (values.shape[1] - 1)])
    for _ in range(_ROUNDS):
        odds = 1 / (1 + np.exp(-values @ found))
        slope = values.T @ (weights * (related - odds)) - penalty * found
        curvature = (values * (weights * odds * (1 - odds))[:, None]).T @ values + _RIDGE * np.eye(len(found))
        found = found + np.linalg.solve(curvature, slope)
    return found


def _fit_wording() -> None:
    messages = messages_in()
    right = 0
    for author in sorted({message.author for message in messages}):
        left_out = [message for message in messages if message.author == author]
        others = _Classifier([message for message in messages if message.author != author])
        own = np.array([message.is_own for message in left_out])
        right += int(((others.log_odds(left_out) > 0) == own).sum())
    print(f"of {len(messages)} messages of authors left out in turn {right / len(messages):.1%} are told apart")
    np.save(wording.PATH, _Classifier(messages).entries())


def _fit_relevance() -> None:
    found = samples([*read_cases(CASES), *read_cases(UNSEEN)])
    values = np.array([sample.signs.values() for sample in found], float)
    related = np.array([sample.is_related for sample in found], float)
    weights = np.array([sample.weight for sample in found])
    print("weights:", fitted(values, related, weights).round(2).tolist())
    folds = np.random.default_rng(0).integers(0, _FOLDS, len(found))
    told = np.zeros(len(found), bool)
    for fold in range(_FOLDS):
        others = folds != fold
        model = fitted(values[others], related[others], weights[others])
        told[~others] = values[~others] @ model >= WEIGHTS.floor
    signs = [sample.signs for sample in found]
    told |= np.array([each.days >= WEIGHTS.floor_of_days and not each.is_of_the_world for each in signs])
    print(f"of {int((related == 0).sum())} unrelated questions {int(told[related == 0].sum())} are told something")
    print(f"of {int(related.sum())} others {int((~told[related == 1]).sum())} are told nothing")


if __name__ == "__main__":
    _fit_wording()
    _fit_relevance()
