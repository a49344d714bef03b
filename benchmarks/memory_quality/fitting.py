"""Fit the models of the search again: ``python -m benchmarks.memory_quality.fitting [NAME]...``.

- ``own_life`` and ``replaces``: the classifiers of wordings (``memory/search/wording.py``), to ``messages/`` and
  ``personas/``, and to ``updates/``. Writes their files.
- ``changes``: the network that finds changes (``memory/search/changes.py``), to ``updates/``, ``cases/``, ``unseen/``
  and ``personas/``. Writes its file.
- ``relevance``: the relevance threshold (``memory/search/relevance.py``), to ``personas/``, ``cases/`` and ``unseen/``.
  Prints the weights, in the order of ``WEIGHTS``.

Without a name, fits all. Held-out data is not used. The results of cross-validation, or on held-out data, are printed.
"""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np

from benchmarks.memory_quality import samples
from benchmarks.memory_quality.cases import CASES, UNSEEN, Case, indexed, judged, question_of, read_cases, search_alone
from benchmarks.memory_quality.personas import Persona, personas_in, recalled_numbers
from benchmarks.memory_quality.regression import Classifier, Numbers, logistic_regression, network
from benchmarks.memory_quality.samples import RECALL_ALL, Origin, Sample
from benchmarks.memory_quality.updates import HELD_OUT, UPDATES, Update, updates_in
from memory.search import changes
from memory.search.pair_features import MAX_WORDING, PairFeature
from memory.search.ranking import relevance_features
from memory.search.relevance import RelevanceFeatures
from memory.search.requests import asked_in_full, is_closing, without_quotes
from memory.search.supplied_text import without_supplied_text
from memory.search.weights import WEIGHTS
from memory.search.wording import OWN_LIFE, REPLACES, Wording, features_of

MESSAGES: Final = Path(__file__).with_name("messages")
"""A file for each author. A line is “own” (about its author's life) or “general”, a tab, and a message."""

_FOLDS: Final = 8
_PERSONA_WEIGHT: Final = 4.0
"""The weight of a persona's message; one of ``messages/`` has 1. Personas' messages are harder to classify."""
_CASE_WEIGHT: Final = 6.0
"""The weight of a case; a persona's message has 1. Cases are fewer and more diverse."""
_SMALL_WEIGHTS: Final = {3: 0.5, 12: 0.5}
"""The weights of messages in small memories, by their size in exchanges."""
_LARGE_PERSONAS: Final = 12
"""The number of other personas whose exchanges a large memory has."""
_LARGE_WEIGHT: Final = 0.7
"""The weight of messages in large memories."""
_LEFT_OUT: Final = "paraphrases"
"""The category whose questions share no word with their evidence, so that they look unrelated."""
_PAIR_WEIGHTS: Final = {Origin.UPDATE: 8.0, Origin.CASE: 60.0, Origin.RETRIEVED: 3.0, Origin.PERSONA: 8.0}
"""The weights of pairs. Those of ``RETRIEVED`` are far more, but less informative."""
_FALSE_POSITIVES: Final = (0.02, 0.05, 0.1)
"""The false positive rates for which results are printed."""

_Wordings: TypeAlias = Mapping[tuple[str, frozenset[str]], float]
"""The log odds of the wording of messages, by author and features."""


@dataclass(frozen=True, slots=True)
class _WordingSample:
    """The features of a text, and whether it is of the positive class."""

    features: frozenset[str]
    is_positive: bool
    author: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class _RelevanceSample:
    features: RelevanceFeatures
    is_related: bool
    group: str
    """Samples of a group are left out of a fit together."""


def _messages_of(personas: Sequence[Persona]) -> Iterator[_WordingSample]:
    """The later messages of personas, and whether they are about the memory."""
    for persona in personas:
        for message in persona.asked:
            if not is_closing(message.text):
                yield _WordingSample(_features(message.text), bool(message.needs), persona.author, _PERSONA_WEIGHT)


def _features(text: str) -> frozenset[str]:
    return frozenset(features_of(without_quotes(asked_in_full(without_supplied_text(text)))))


def messages_in(folder: Path = MESSAGES) -> list[_WordingSample]:
    """All messages in a folder. Raises ``ValueError`` for an invalid line."""
    found = []
    for path in sorted(folder.glob("*.txt")):
        for line in path.read_text(encoding="utf-8").splitlines():
            kind, _, text = line.partition("\t")
            if kind not in ("own", "general") or not text:
                raise ValueError(f"{path.name} has an invalid line: {line}")
            found.append(_WordingSample(_features(text), kind == "own", path.stem))
    return found


def _wordings_of(updates: Sequence[Update]) -> list[_WordingSample]:
    """The wording of updates, and whether the later statement changes the earlier one."""
    return [_WordingSample(each.wording_features, each.is_changed, each.author) for each in updates]


def _relevance_of_cases(cases: Sequence[Case]) -> list[_RelevanceSample]:
    """The unrelated cases, and those whose evidence is recalled without the threshold."""
    kept = [case for case in cases if case.category != _LEFT_OUT and not is_closing(case.ask)]
    kept = [case for case in kept if case.nothing or not judged(case, search_alone(case, RECALL_ALL)).missing]
    return [
        _RelevanceSample(relevance_features(indexed(case), question_of(case)), not case.nothing, case.id)
        for case in kept
    ]


def _relevance_of_personas(
    personas: Sequence[Persona], wordings: _Wordings
) -> Iterator[tuple[_RelevanceSample, float]]:
    """As ``_relevance_of_cases``, for the messages of personas in memories of several sizes; each with its weight."""
    for index, persona in enumerate(personas):
        rotated = [*personas[index + 1 :], *personas[:index]]
        others = [each for each in rotated if each.language == persona.language]
        memories = [(persona.after(count), weight) for count, weight in _SMALL_WEIGHTS.items()]
        memories += [(persona, 1.0), (persona.with_exchanges_of(others[:_LARGE_PERSONAS]), _LARGE_WEIGHT)]
        for each, weight in memories:
            exchanges = each.index()
            for message in each.asked:
                if is_closing(message.text):
                    continue
                numbers = recalled_numbers(each, exchanges, message, RECALL_ALL) if message.needs else frozenset[int]()
                if numbers.issuperset(message.needs):
                    features = relevance_features(exchanges, each.question(message.text))
                    features = replace(features, wording=wordings[each.author, _features(message.text)])
                    yield _RelevanceSample(features, bool(message.needs), each.author), weight


def _classifier(messages: Sequence[_WordingSample]) -> Classifier:
    return Classifier(
        [each.features for each in messages],
        [each.is_positive for each in messages],
        [each.weight for each in messages],
    )


def _folds(authors: Sequence[str]) -> dict[str, int]:
    return {author: index % _FOLDS for index, author in enumerate(sorted(set(authors)))}


def _left_out_odds(messages: Sequence[_WordingSample]) -> Numbers:
    """The log odds of each message, by a classifier fitted without its author."""
    fold_of = _folds([each.author for each in messages])
    folds, found = np.array([fold_of[each.author] for each in messages]), np.zeros(len(messages))
    for fold in range(_FOLDS):
        others = _classifier([each for each in messages if fold_of[each.author] != fold])
        found[folds == fold] = others.log_odds([each.features for each in messages if fold_of[each.author] == fold])
    return found


def _fit_wording(wording: Wording, messages: Sequence[_WordingSample], left_out: Numbers) -> None:
    """Write the file of ``wording``. ``left_out`` are the messages' ``_left_out_odds``."""
    accuracy = float(((left_out > 0) == np.array([each.is_positive for each in messages])).mean())
    print(f"{wording.path.name}: accuracy {accuracy:.1%} on {len(messages)} messages, each by an author left out")
    np.save(wording.path, _classifier(messages).entries())


def _fit_changes(
    updates: Sequence[Sequence[Update]], wordings: Sequence[_WordingSample], personas: Sequence[Persona]
) -> None:
    """Write the file of ``changes``. ``updates`` are those of each author, and ``wordings`` their wordings."""
    pairs = [pair for each in updates for pair in samples.of_updates(each)]
    # The classifier overfits the messages to which it was fitted, so others classify them.
    folds, wording = _folds([each.author for each in wordings]), _classifier(wordings)
    values = np.array([pair.values for pair in pairs], float)
    for fold in range(_FOLDS):
        others = _classifier([each for each in wordings if folds[each.author] != fold])
        rows = [row for row, pair in enumerate(pairs) if folds[pair.author] == fold]
        values[rows, PairFeature.WORDING] = others.log_odds([pairs[row].wording_features for row in rows])
    further = list(samples.of_cases([*read_cases(CASES), *read_cases(UNSEEN)]))
    further += [pair for persona in personas for pair in samples.of_persona(persona)]
    values = np.concatenate([_clipped(values), _values_of(further, wording)])
    pairs += further
    is_changed = np.array([pair.is_changed for pair in pairs], float)
    weights = np.array([_PAIR_WEIGHTS[pair.origin] for pair in pairs])
    fitted = network(values, is_changed, weights)
    np.savez(
        changes.PATH,
        inner=fitted["inner"],
        inner_bias=fitted["inner_bias"],
        outer=fitted["outer"],
        outer_bias=fitted["outer_bias"],
        least=fitted["least"],
        most=fitted["most"],
    )
    held_out = [pair for path in sorted(HELD_OUT.glob("*.tsv")) for pair in samples.of_updates(updates_in(path))]
    _print_changes(held_out, _values_of(held_out, wording))


def _values_of(pairs: Sequence[Sample], wording: Classifier) -> Numbers:
    """The values of all features of pairs."""
    values = np.array([pair.values for pair in pairs], float)
    values[:, PairFeature.WORDING] = wording.log_odds([pair.wording_features for pair in pairs])
    return _clipped(values)


def _clipped(values: Numbers) -> Numbers:
    """``values`` of pairs, with ``WORDING`` clipped as in ``Pairs.wording``."""
    values[:, PairFeature.WORDING] = values[:, PairFeature.WORDING].clip(-MAX_WORDING, MAX_WORDING)
    return values


def _print_changes(pairs: Sequence[Sample], values: Numbers) -> None:
    """Print the recall of the network in the file, at several false positive rates."""
    log_odds = changes.Network().log_odds(values.astype(np.float32))
    kinds = [(pair.origin, pair.is_changed) for pair in pairs]
    retrieved, changed, kept = (
        log_odds[[each == kind for each in kinds]]
        for kind in ((Origin.RETRIEVED, False), (Origin.UPDATE, True), (Origin.UPDATE, False))
    )
    for share in _FALSE_POSITIVES:
        threshold = float(np.quantile(retrieved, 1 - share))
        print(
            f"{changes.PATH.name}: above {threshold:.1f} are {share:.0%} of {len(retrieved)} retrieved held-out pairs, "
            f"{np.mean(changed > threshold):.0%} of {len(changed)} that changed, "
            f"{np.mean(kept > threshold):.0%} of {len(kept)} that did not"
        )


def _fit_relevance(personas: Sequence[Persona], wordings: _Wordings) -> None:
    """Print the weights of the model, and its errors by cross-validation."""
    of_cases = _relevance_of_cases([*read_cases(CASES), *read_cases(UNSEEN)])
    of_personas = list(_relevance_of_personas(personas, wordings))
    all_samples = [*of_cases, *(each for each, _ in of_personas)]
    values = np.array([each.features.values() for each in all_samples], float)
    is_related = np.array([each.is_related for each in all_samples], float)
    weights = np.array([*[_CASE_WEIGHT] * len(of_cases), *(weight for _, weight in of_personas)])
    print("relevance.py:", logistic_regression(values, is_related, weights).round(2).tolist())
    fold_of = _folds([each.group for each in all_samples])
    folds = np.array([fold_of[each.group] for each in all_samples])
    passes = np.zeros(len(all_samples), bool)
    for fold in range(_FOLDS):
        others = folds != fold
        model: Numbers = logistic_regression(values[others], is_related[others], weights[others])
        passes[~others] = values[~others] @ model >= WEIGHTS.floor
    features = [each.features for each in all_samples]
    passes &= np.array([each.may_be_found for each in features])
    passes |= np.array([each.days >= WEIGHTS.floor_of_days and not each.is_of_the_world for each in features])
    sizes = np.array([each.exchanges for each in features])
    is_case = np.arange(len(all_samples)) < len(of_cases)
    of_sizes = {f"personas, {size} exchanges": ~is_case & (sizes == size) for size in np.unique(sizes[~is_case])}
    for name, group in {"cases": is_case, **of_sizes}.items():
        unrelated, related = passes[group & (is_related == 0)], passes[group & (is_related == 1)]
        print(
            f"{name}: of {len(unrelated)} unrelated messages, {int(unrelated.sum())} have something recalled; "
            f"of {len(related)} others, {int((~related).sum())} have nothing recalled"
        )


def _main(arguments: Sequence[str]) -> None:
    updates = [updates_in(path) for path in sorted(UPDATES.glob("*.tsv"))]
    personas = personas_in()
    messages = [*messages_in(), *_messages_of(personas)]
    of_updates = [message for each in updates for message in _wordings_of(each)]

    @cache
    def left_out() -> Numbers:
        return _left_out_odds(messages)

    def wordings() -> _Wordings:
        return {(each.author, each.features): odds for each, odds in zip(messages, left_out().tolist(), strict=True)}

    fits: Mapping[str, Callable[[], None]] = {
        "own_life": lambda: _fit_wording(OWN_LIFE, messages, left_out()),
        "replaces": lambda: _fit_wording(REPLACES, of_updates, _left_out_odds(of_updates)),
        "changes": lambda: _fit_changes(updates, of_updates, personas),
        "relevance": lambda: _fit_relevance(personas, wordings()),
    }
    if unknown := set(arguments) - fits.keys():
        raise SystemExit(f"Unknown: {', '.join(sorted(unknown))}. There are {', '.join(fits)}.")
    for name, fit in fits.items():
        if not arguments or name in arguments:
            fit()


if __name__ == "__main__":
    _main(sys.argv[1:])
