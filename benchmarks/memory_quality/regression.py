"""What is fitted to samples: logistic regressions over a few values or many features, and a small network. Pure."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import chain
from typing import Final

import numpy as np
from numpy.typing import NDArray

from memory.search import wording
from memory.search.hashes import hash_of

Numbers = NDArray[np.float64]
Flags = NDArray[np.bool_]

_ROUNDS: Final = 60
_RIDGE: Final = 1.0

_FEATURE_RIDGE: Final = 0.1
_FEATURE_ROUNDS: Final = 1_000
_POWER_ROUNDS: Final = 60
_FEWEST: Final = 3
"""A feature that fewer messages have is left out."""

_HIDDEN: Final = 16
_NETWORKS: Final = 4
"""Trained with other first weights each; what they say is averaged."""
_EPOCHS: Final = 30
_BATCH: Final = 256
_STEP: Final = 3e-3
_DECAY: Final = 1e-3
"""How much weights shrink: the derivative of half their square, of the mean over a batch."""
_MEAN_RATE: Final = 0.9
_SQUARE_RATE: Final = 0.999
_FURTHEST: Final = 5.0
"""Standard deviations: what is further from the mean counts as this."""


def logistic_regression(values: Numbers, is_so: Numbers, weights: Numbers) -> Numbers:
    """The weights of a logistic regression, by Newton's method; ``values`` is (samples, variables), the first is 1."""
    found: Numbers = np.zeros(values.shape[1])
    penalty = _RIDGE * np.array([0.0, *[1.0] * (values.shape[1] - 1)])
    for _ in range(_ROUNDS):
        odds = 1 / (1 + np.exp(-values @ found))
        slope = values.T @ (weights * (is_so - odds)) - penalty * found
        curvature = (values * (weights * odds * (1 - odds))[:, None]).T @ values + _RIDGE * np.eye(len(found))
        found = found + np.linalg.solve(curvature, slope)
    return found


class Classifier:
    """A logistic regression over the features of messages, each as weighty as the others in its message.

    ``weights`` is what each message counts, 1 if there are none.
    """

    def __init__(
        self, messages: Sequence[Collection[str]], is_so: Sequence[bool], weights: Sequence[float] | None = None
    ) -> None:
        counts = Counter(chain.from_iterable(messages))
        known = sorted(feature for feature, count in counts.items() if count >= _FEWEST)
        self._places = {feature: place for place, feature in enumerate(known)}
        row, column, value = self._sparse(messages)
        sign = np.where(is_so, 1.0, -1.0)
        counting = np.ones(len(messages)) if weights is None else np.array(weights, float)

        def times(weights: Numbers) -> Numbers:
            return _summed(row, value * weights[column], len(messages))

        def transposed(values: Numbers) -> Numbers:
            return _summed(column, value * values[row], len(self._places))

        # Nesterov's accelerated gradient method, with the step that the greatest curvature allows.
        greatest = np.ones(len(self._places))
        for _ in range(_POWER_ROUNDS):
            greatest = transposed(counting * times(greatest / np.linalg.norm(greatest)))
        step = 1 / (0.25 * float(np.linalg.norm(greatest)) + _FEATURE_RIDGE)
        momentum = (1 - np.sqrt(step * _FEATURE_RIDGE)) / (1 + np.sqrt(step * _FEATURE_RIDGE))
        self._weights = ahead = np.zeros(len(self._places))
        for _ in range(_FEATURE_ROUNDS):
            slope = transposed(-counting * sign / (1 + np.exp(sign * times(ahead)))) + _FEATURE_RIDGE * ahead
            before, self._weights = self._weights, ahead - step * slope
            ahead = self._weights + momentum * (self._weights - before)

    def log_odds(self, messages: Sequence[Collection[str]]) -> Numbers:
        """Of each message that it is so."""
        row, column, value = self._sparse(messages)
        return _summed(row, value * self._weights[column], len(messages))

    def entries(self) -> NDArray[np.void]:
        """The weights by hashes, as the file of a ``Wording`` has them."""
        weights = dict[int, float]()
        for feature, place in self._places.items():
            number = hash_of(feature)
            weights[number] = weights.get(number, 0.0) + float(self._weights[place])
        return np.array(sorted(weights.items()), wording.ENTRY)

    def _sparse(self, messages: Sequence[Collection[str]]) -> tuple[NDArray[np.intp], NDArray[np.intp], Numbers]:
        """The rows, columns and values of a matrix of messages and features."""
        known = [[self._places[each] for each in sorted(message) if each in self._places] for message in messages]
        lengths = np.array(list(map(len, known)))
        row = np.repeat(np.arange(len(messages)), lengths)
        return row, np.array(list(chain.from_iterable(known)), np.intp), 1 / np.sqrt(lengths[row])


def network(values: Numbers, is_so: Numbers, weights: Numbers) -> Mapping[str, NDArray[np.float32]]:
    """The weights of a network with one hidden layer (tanh) that tells samples apart; ``values`` is (samples, signs).

    ``inner`` is (signs, hidden), ``outer`` (hidden); each has a bias.
    """
    mean, deviation = values.mean(axis=0), values.std(axis=0) + 1e-6
    scaled = np.clip((values - mean) / deviation, -_FURTHEST, _FURTHEST)
    layers = [_trained(scaled, is_so, weights, seed) for seed in range(_NETWORKS)]
    # One network has all of them side by side, and takes the values as they are.
    inner = np.concatenate([each["inner"] for each in layers], axis=1) / deviation[:, None]
    inner_bias = np.concatenate([each["inner_bias"] for each in layers]) - mean @ inner
    found = {
        "inner": inner,
        "inner_bias": inner_bias,
        "outer": np.concatenate([each["outer"] for each in layers]) / _NETWORKS,
        "outer_bias": np.mean([each["outer_bias"] for each in layers]),
        # How far a value may be from the mean.
        "least": mean - _FURTHEST * deviation,
        "most": mean + _FURTHEST * deviation,
    }
    return {name: np.asarray(array, np.float32) for name, array in found.items()}


def _trained(values: Numbers, is_so: Numbers, weights: Numbers, seed: int) -> dict[str, Numbers]:
    """One network, by Adam (Kingma and Ba, 2015)."""
    chance = np.random.default_rng(seed)
    signs = values.shape[1]
    found: dict[str, Numbers] = {
        "inner": chance.normal(0, 1 / np.sqrt(signs), (signs, _HIDDEN)),
        "inner_bias": np.zeros(_HIDDEN),
        "outer": chance.normal(0, 1 / np.sqrt(_HIDDEN), _HIDDEN),
        "outer_bias": np.zeros(()),
    }
    means = {name: np.zeros_like(array) for name, array in found.items()}
    squares = {name: np.zeros_like(array) for name, array in found.items()}
    steps = 0
    for _ in range(_EPOCHS):
        order = chance.permutation(len(values))
        for begin in range(0, len(order), _BATCH):
            batch = order[begin : begin + _BATCH]
            inner = np.tanh(values[batch] @ found["inner"] + found["inner_bias"])
            odds = 1 / (1 + np.exp(-(inner @ found["outer"] + found["outer_bias"])))
            fault = weights[batch] * (odds - is_so[batch]) / len(batch)
            back = fault[:, None] * found["outer"] * (1 - inner**2)
            slopes = {
                "inner": values[batch].T @ back + _DECAY * found["inner"],
                "inner_bias": back.sum(axis=0),
                "outer": inner.T @ fault + _DECAY * found["outer"],
                "outer_bias": fault.sum(),
            }
            steps += 1
            for name, slope in slopes.items():
                means[name] = _MEAN_RATE * means[name] + (1 - _MEAN_RATE) * slope
                squares[name] = _SQUARE_RATE * squares[name] + (1 - _SQUARE_RATE) * slope**2
                size = np.sqrt(squares[name] / (1 - _SQUARE_RATE**steps)) + 1e-8
                found[name] = found[name] - _STEP * means[name] / (1 - _MEAN_RATE**steps) / size
    return found


def _summed(places: NDArray[np.intp], values: Numbers, length: int) -> Numbers:
    """The sums of the values at each place."""
    found: Numbers = np.bincount(places, values, minlength=length).astype(np.float64)
    return found
