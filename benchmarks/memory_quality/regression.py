"""Models fitted to samples: logistic regressions over a few variables or many features, and a small network. Pure."""

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
_MIN_COUNT: Final = 3
"""Features of fewer texts are left out."""

_HIDDEN: Final = 16
_NETWORKS: Final = 4
"""The size of the ensemble, whose outputs are averaged. Its members differ in their initial weights."""
_EPOCHS: Final = 30
_BATCH: Final = 256
_STEP: Final = 3e-3
_DECAY: Final = 1e-3
"""The weight decay."""
_MEAN_RATE: Final = 0.9
_SQUARE_RATE: Final = 0.999
_CLIP_SD: Final = 5.0
"""Values are clipped at this number of standard deviations from the mean."""


def logistic_regression(values: Numbers, labels: Numbers, weights: Numbers) -> Numbers:
    """The coefficients of a logistic regression, by Newton's method.

    ``values`` is (samples, variables), and the first variable is 1. ``weights`` are those of the samples.
    """
    found: Numbers = np.zeros(values.shape[1])
    penalty = _RIDGE * np.array([0.0, *[1.0] * (values.shape[1] - 1)])
    for _ in range(_ROUNDS):
        probabilities = 1 / (1 + np.exp(-values @ found))
        gradient = values.T @ (weights * (labels - probabilities)) - penalty * found
        variances = weights * probabilities * (1 - probabilities)
        hessian = (values * variances[:, None]).T @ values + _RIDGE * np.eye(len(found))
        found = found + np.linalg.solve(hessian, gradient)
    return found


class Classifier:
    """A logistic regression over sets of features, each set normalized to length 1.

    ``texts`` are the features of each text, and ``weights`` the weights of the texts, 1 by default.
    """

    def __init__(
        self, texts: Sequence[Collection[str]], labels: Sequence[bool], weights: Sequence[float] | None = None
    ) -> None:
        counts = Counter(chain.from_iterable(texts))
        known = sorted(feature for feature, count in counts.items() if count >= _MIN_COUNT)
        self._columns = {feature: column for column, feature in enumerate(known)}
        row, column, value = self._sparse(texts)
        sign = np.where(labels, 1.0, -1.0)
        text_weights = np.ones(len(texts)) if weights is None else np.array(weights, float)

        def times(weights: Numbers) -> Numbers:
            return _summed(row, value * weights[column], len(texts))

        def transposed(values: Numbers) -> Numbers:
            return _summed(column, value * values[row], len(self._columns))

        # Nesterov's accelerated gradient method. Its step follows from the greatest eigenvalue, by power iteration.
        greatest = np.ones(len(self._columns))
        for _ in range(_POWER_ROUNDS):
            greatest = transposed(text_weights * times(greatest / np.linalg.norm(greatest)))
        step = 1 / (0.25 * float(np.linalg.norm(greatest)) + _FEATURE_RIDGE)
        momentum = (1 - np.sqrt(step * _FEATURE_RIDGE)) / (1 + np.sqrt(step * _FEATURE_RIDGE))
        self._weights = ahead = np.zeros(len(self._columns))
        for _ in range(_FEATURE_ROUNDS):
            gradient = transposed(-text_weights * sign / (1 + np.exp(sign * times(ahead)))) + _FEATURE_RIDGE * ahead
            before, self._weights = self._weights, ahead - step * gradient
            ahead = self._weights + momentum * (self._weights - before)

    def log_odds(self, texts: Sequence[Collection[str]]) -> Numbers:
        """The log odds of the positive class for each text."""
        row, column, value = self._sparse(texts)
        return _summed(row, value * self._weights[column], len(texts))

    def entries(self) -> NDArray[np.void]:
        """The weights by the hashes of features, as in the file of a ``Wording``."""
        weights = dict[int, float]()
        for feature, column in self._columns.items():
            number = hash_of(feature)
            weights[number] = weights.get(number, 0.0) + float(self._weights[column])
        return np.array(sorted(weights.items()), wording.ENTRY)

    def _sparse(self, texts: Sequence[Collection[str]]) -> tuple[NDArray[np.intp], NDArray[np.intp], Numbers]:
        """The rows, columns and values of the matrix of texts and features."""
        known = [[self._columns[each] for each in sorted(text) if each in self._columns] for text in texts]
        lengths = np.array(list(map(len, known)))
        row = np.repeat(np.arange(len(texts)), lengths)
        return row, np.array(list(chain.from_iterable(known)), np.intp), 1 / np.sqrt(lengths[row])


def network(values: Numbers, labels: Numbers, weights: Numbers) -> Mapping[str, NDArray[np.float32]]:
    """The parameters of a binary classifier with one hidden layer (tanh). ``values`` is (samples, features).

    ``inner`` is (features, hidden), ``outer`` is (hidden), and each has a bias. ``least`` and ``most`` are the bounds
    to which features are clipped.
    """
    mean, deviation = values.mean(axis=0), values.std(axis=0) + 1e-6
    scaled = np.clip((values - mean) / deviation, -_CLIP_SD, _CLIP_SD)
    layers = [_trained(scaled, labels, weights, seed) for seed in range(_NETWORKS)]
    # The ensemble becomes one network, which takes values that are not scaled.
    inner = np.concatenate([each["inner"] for each in layers], axis=1) / deviation[:, None]
    inner_bias = np.concatenate([each["inner_bias"] for each in layers]) - mean @ inner
    found = {
        "inner": inner,
        "inner_bias": inner_bias,
        "outer": np.concatenate([each["outer"] for each in layers]) / _NETWORKS,
        "outer_bias": np.mean([each["outer_bias"] for each in layers]),
        "least": mean - _CLIP_SD * deviation,
        "most": mean + _CLIP_SD * deviation,
    }
    return {name: np.asarray(array, np.float32) for name, array in found.items()}


def _trained(values: Numbers, labels: Numbers, weights: Numbers, seed: int) -> dict[str, Numbers]:
    """One network, trained by Adam (Kingma and Ba, 2015)."""
    rng = np.random.default_rng(seed)
    features = values.shape[1]
    found: dict[str, Numbers] = {
        "inner": rng.normal(0, 1 / np.sqrt(features), (features, _HIDDEN)),
        "inner_bias": np.zeros(_HIDDEN),
        "outer": rng.normal(0, 1 / np.sqrt(_HIDDEN), _HIDDEN),
        "outer_bias": np.zeros(()),
    }
    means = {name: np.zeros_like(array) for name, array in found.items()}
    squares = {name: np.zeros_like(array) for name, array in found.items()}
    steps = 0
    for _ in range(_EPOCHS):
        order = rng.permutation(len(values))
        for begin in range(0, len(order), _BATCH):
            batch = order[begin : begin + _BATCH]
            inner = np.tanh(values[batch] @ found["inner"] + found["inner_bias"])
            probabilities = 1 / (1 + np.exp(-(inner @ found["outer"] + found["outer_bias"])))
            error = weights[batch] * (probabilities - labels[batch]) / len(batch)
            back = error[:, None] * found["outer"] * (1 - inner**2)
            gradients = {
                "inner": values[batch].T @ back + _DECAY * found["inner"],
                "inner_bias": back.sum(axis=0),
                "outer": inner.T @ error + _DECAY * found["outer"],
                "outer_bias": error.sum(),
            }
            steps += 1
            for name, gradient in gradients.items():
                means[name] = _MEAN_RATE * means[name] + (1 - _MEAN_RATE) * gradient
                squares[name] = _SQUARE_RATE * squares[name] + (1 - _SQUARE_RATE) * gradient**2
                size = np.sqrt(squares[name] / (1 - _SQUARE_RATE**steps)) + 1e-8
                found[name] = found[name] - _STEP * means[name] / (1 - _MEAN_RATE**steps) / size
    return found


def _summed(positions: NDArray[np.intp], values: Numbers, length: int) -> Numbers:
    """The sum of the values at each position."""
    found: Numbers = np.bincount(positions, values, minlength=length).astype(np.float64)
    return found
