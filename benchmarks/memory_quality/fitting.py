"""Fit what the search has learned again: ``python -m benchmarks.memory_quality.fitting``.

What the wording of a message says (``memory/search/wording.py``), with ``messages/`` and ``updates/``; whether a
passage was changed later (``memory/search/changes.py``), with ``updates/``, ``cases/`` and ``unseen/``: their files are
written. Then whether a message has to do with the memory (``memory/search/relevance.py``), with ``cases/`` and
``unseen/``: its weights are printed, in the order of ``WEIGHTS``. Nothing is fitted with what is held out. What each is
worth for what was left out is printed, too.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.memory_quality import pairs
from benchmarks.memory_quality.cases import CASES, UNSEEN, Case, indexed, judged, question_of, read_cases, searched
from benchmarks.memory_quality.pairs import Origin, Sample
from benchmarks.memory_quality.regression import Classifier, Numbers, logistic_regression, network
from benchmarks.memory_quality.updates import HELD_OUT, UPDATES, Update, updates_in
from memory.search import changes
from memory.search.change_signs import Sign
from memory.search.ranking import WEIGHTS, signs_of
from memory.search.relevance import Signs
from memory.search.requests import asking_sentences, is_closing, without_quotes
from memory.search.wording import OWN_LIFE, REPLACES, Wording, features_of

MESSAGES: Final = Path(__file__).with_name("messages")
"""A file for each author. A line is “own” or “general”, a tab, and a message about its author's life or not."""

_FOLDS: Final = 8
_RELATED: Final = 0.25
"""What a related question counts: there are five times as many. What only the memory can know counts 1."""
_LEFT_OUT: Final = "paraphrases"
"""What shares no word with what was said cannot be told from what has nothing to do with it."""
_WEIGHTS: Final = {Origin.UPDATE: 6.0, Origin.CASE: 20.0, Origin.OTHERS: 1.0}
"""What a pair counts. There are many more others, but there is little in them."""
_OTHERS_LOST: Final = (0.02, 0.05, 0.1)


@dataclass(frozen=True, slots=True)
class _Message:
    features: frozenset[str]
    is_so: bool
    author: str


@dataclass(frozen=True, slots=True)
class _Related:
    signs: Signs
    is_related: bool

    @property
    def weight(self) -> float:
        return _RELATED if self.is_related and not self.signs.is_of_own_life else 1.0


def messages_in(folder: Path = MESSAGES) -> list[_Message]:
    """All messages. Raises ``ValueError`` for a line that is not one."""
    found = []
    for path in sorted(folder.glob("*.txt")):
        for line in path.read_text(encoding="utf-8").splitlines():
            kind, _, text = line.partition("\t")
            if kind not in ("own", "general") or not text:
                raise ValueError(f"{path.name} has a line that is no message: {line}")
            asked = without_quotes(asking_sentences(text))
            found.append(_Message(frozenset(features_of(asked)), kind == "own", path.stem))
    return found


def _statements_in(updates: Sequence[Update]) -> list[_Message]:
    """What was said later in updates, and whether that changes what was said before."""
    return [_Message(frozenset(features_of(each.later)), each.is_changed, each.author) for each in updates]


def related(cases: Sequence[Case]) -> list[_Related]:
    """The cases that have to do with nothing, and those whose evidence is found if anything is told."""
    told = replace(WEIGHTS, floor=float("-inf"))
    kept = [case for case in cases if case.category != _LEFT_OUT and not is_closing(case.ask)]
    kept = [case for case in kept if case.nothing or not judged(case, searched(case, told)).missing]
    return [_Related(signs_of(indexed(case), question_of(case)), not case.nothing) for case in kept]


def _classifier(messages: Sequence[_Message]) -> Classifier:
    return Classifier([each.features for each in messages], [each.is_so for each in messages])


def _folds(authors: Sequence[str]) -> dict[str, int]:
    return {author: place % _FOLDS for place, author in enumerate(sorted(set(authors)))}


def _fit_wording(wording: Wording, messages: Sequence[_Message]) -> None:
    """Write the file of ``wording``."""
    folds, right = _folds([each.author for each in messages]), 0
    for fold in range(_FOLDS):
        left_out = [each for each in messages if folds[each.author] == fold]
        others = _classifier([each for each in messages if folds[each.author] != fold])
        found = others.log_odds([each.features for each in left_out]) > 0
        right += int((found == np.array([each.is_so for each in left_out])).sum())
    print(f"{wording.path.name}: of {len(messages)} messages by authors left out {right / len(messages):.1%} are right")
    np.save(wording.path, _classifier(messages).entries())


def _fit_changes(updates: Sequence[Sequence[Update]]) -> None:
    """Write the file of ``changes``; ``updates`` are those of each author."""
    samples = [sample for each in updates for sample in pairs.of_updates(each)]
    # What the wording says of a message that it was fitted with is no evidence.
    statements = [message for each in updates for message in _statements_in(each)]
    folds = _folds([each.author for each in statements])
    values = np.array([sample.signs for sample in samples], float)
    for fold in range(_FOLDS):
        others = _classifier([each for each in statements if folds[each.author] != fold])
        places = [place for place, sample in enumerate(samples) if folds[sample.author] == fold]
        values[places, Sign.WORDING] = others.log_odds([features_of(samples[place].later) for place in places])
    of_cases = list(pairs.of_cases([*read_cases(CASES), *read_cases(UNSEEN)]))
    values = np.concatenate([values, np.array([sample.signs for sample in of_cases], float)])
    samples += of_cases
    is_changed = np.array([sample.is_changed for sample in samples], float)
    weights = np.array([_WEIGHTS[sample.origin] for sample in samples])
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
    held_out = [sample for path in sorted(HELD_OUT.glob("*.tsv")) for sample in pairs.of_updates(updates_in(path))]
    _print_changes(held_out)


def _print_changes(samples: Sequence[Sample]) -> None:
    """What the file of ``changes`` says of pairs."""
    odds = changes.Network().log_odds(np.array([sample.signs for sample in samples]))
    kinds = [(sample.origin, sample.is_changed) for sample in samples]
    others, changed, kept = (
        odds[[each == kind for each in kinds]]
        for kind in ((Origin.OTHERS, False), (Origin.UPDATE, True), (Origin.UPDATE, False))
    )
    for share in _OTHERS_LOST:
        above = float(np.quantile(others, 1 - share))
        print(
            f"{changes.PATH.name}: above {above:.1f} are {share:.0%} of {len(others)} other pairs held out, "
            f"{np.mean(changed > above):.0%} of {len(changed)} that changed, "
            f"{np.mean(kept > above):.0%} of {len(kept)} that did not"
        )


def _fit_relevance() -> None:
    found = related([*read_cases(CASES), *read_cases(UNSEEN)])
    values = np.array([each.signs.values() for each in found], float)
    is_related = np.array([each.is_related for each in found], float)
    weights = np.array([each.weight for each in found])
    print("relevance.py:", logistic_regression(values, is_related, weights).round(2).tolist())
    folds = np.random.default_rng(0).integers(0, _FOLDS, len(found))
    told = np.zeros(len(found), bool)
    for fold in range(_FOLDS):
        others = folds != fold
        model: Numbers = logistic_regression(values[others], is_related[others], weights[others])
        told[~others] = values[~others] @ model >= WEIGHTS.floor
    signs = [each.signs for each in found]
    told |= np.array([each.days >= WEIGHTS.floor_of_days and not each.is_of_the_world for each in signs])
    print(
        f"of {int((is_related == 0).sum())} unrelated questions {int(told[is_related == 0].sum())} are told something"
    )
    print(f"of {int(is_related.sum())} others {int((~told[is_related == 1]).sum())} are told nothing")


if __name__ == "__main__":
    _updates = [updates_in(path) for path in sorted(UPDATES.glob("*.tsv"))]
    _fit_wording(OWN_LIFE, messages_in())
    _fit_wording(REPLACES, [message for each in _updates for message in _statements_in(each)])
    _fit_changes(_updates)
    _fit_relevance()
