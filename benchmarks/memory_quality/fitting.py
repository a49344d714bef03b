"""Fit the model of ``memory/search/relevance.py`` again: ``python -m benchmarks.memory_quality.fitting``.

It is fitted with ``cases/`` and ``unseen/``, never with ``held_out/``. Printed are the weights, in the order of
``WEIGHTS``, and what would be told with them at the floor, with each eighth of the cases left out of the fit in turn.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.memory_quality.cases import CASES, UNSEEN, Case, indexed, judged, question_of, read_cases, searched
from memory.search.ranking import WEIGHTS, signs_of
from memory.search.relevance import Signs
from memory.search.requests import is_closing

_FOLDS: Final = 8
_ROUNDS: Final = 60
_RIDGE: Final = 1.0
_RELATED: Final = 0.25
"""What a related question counts: there are five times as many. What only the memory can know counts 1."""

_LEFT_OUT: Final = "paraphrases"
"""What shares no word with what was said cannot be told from what has nothing to do with it."""

_Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Sample:
    signs: Signs
    is_related: bool

    @property
    def weight(self) -> float:
        return _RELATED if self.is_related and not self.signs.is_of_own_life else 1.0


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


def _main() -> None:
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
    _main()
