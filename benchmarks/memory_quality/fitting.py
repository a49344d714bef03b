"""Fit what the search has learned again: ``python -m benchmarks.memory_quality.fitting [NAME]...``.

- ``own_life`` and ``replaces``: what the wording of a message says (``memory/search/wording.py``), with ``messages/``
  and ``personas/``, and with ``updates/``. Their files are written.
- ``changes``: whether a passage was changed later (``memory/search/changes.py``), with ``updates/``, ``cases/``,
  ``unseen/`` and ``personas/``. Its file is written.
- ``relevance``: whether a message has to do with the memory (``memory/search/relevance.py``), with ``personas/``,
  ``cases/`` and ``unseen/``. Its weights are printed, in the order of ``WEIGHTS``.

Without a name, all. Nothing is fitted with what is held out. What each is worth for what was left out is printed, too.
"""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np

from benchmarks.memory_quality import pairs
from benchmarks.memory_quality.cases import CASES, UNSEEN, Case, indexed, judged, question_of, read_cases, searched
from benchmarks.memory_quality.pairs import TELL_ALL, Origin, Sample
from benchmarks.memory_quality.personas import Persona, personas_in, told_numbers
from benchmarks.memory_quality.regression import Classifier, Numbers, logistic_regression, network
from benchmarks.memory_quality.updates import HELD_OUT, UPDATES, Update, updates_in
from memory.search import changes
from memory.search.given_text import without_given_text
from memory.search.ranking import signs_of
from memory.search.relevance import Signs
from memory.search.requests import asked_in_full, is_closing, without_quotes
from memory.search.signs import MAX_OF_WORDING, Sign
from memory.search.weights import WEIGHTS
from memory.search.wording import OWN_LIFE, REPLACES, Wording, features_of

MESSAGES: Final = Path(__file__).with_name("messages")
"""A file for each author. A line is “own” or “general”, a tab, and a message about its author's life or not."""

_FOLDS: Final = 8
_OF_PERSONA: Final = 4.0
"""What a message of a persona counts, of one of ``messages/``: they are harder to tell apart."""
_OF_CASE: Final = 6.0
"""What a case counts, of a message of a persona: there are fewer, and of more kinds."""
_BEGUN: Final = {3: 0.5, 12: 0.5}
"""The sizes of the memories of those who have just begun, in exchanges, and what a message counts there,"""
_CROWD: Final = 12
"""and of how many others a large memory has what they said,"""
_OF_CROWD: Final = 0.7
"""where a message counts this."""
_LEFT_OUT: Final = "paraphrases"
"""What shares no word with what was said cannot be told from what has nothing to do with it."""
_WEIGHTS: Final = {Origin.UPDATE: 8.0, Origin.CASE: 60.0, Origin.OTHERS: 3.0, Origin.PERSONA: 8.0}
"""What a pair counts. There are many more others, but there is little in them."""
_OTHERS_LOST: Final = (0.02, 0.05, 0.1)

_Wordings: TypeAlias = Mapping[tuple[str, frozenset[str]], float]
"""The log odds of the wording of messages, by their author and features."""


@dataclass(frozen=True, slots=True)
class _Message:
    features: frozenset[str]
    is_so: bool
    author: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class _Related:
    signs: Signs
    is_related: bool
    group: str
    """Who or what is left out together."""


def _messages_of(personas: Sequence[Persona]) -> Iterator[_Message]:
    """What personas ask, and whether it is about what they said."""
    for persona in personas:
        for message in persona.asked:
            if not is_closing(message.text):
                yield _Message(_features(message.text), bool(message.needs), persona.author, _OF_PERSONA)


def _features(text: str) -> frozenset[str]:
    return frozenset(features_of(without_quotes(asked_in_full(without_given_text(text)))))


def messages_in(folder: Path = MESSAGES) -> list[_Message]:
    """All messages. Raises ``ValueError`` for a line that is not one."""
    found = []
    for path in sorted(folder.glob("*.txt")):
        for line in path.read_text(encoding="utf-8").splitlines():
            kind, _, text = line.partition("\t")
            if kind not in ("own", "general") or not text:
                raise ValueError(f"{path.name} has a line that is no message: {line}")
            found.append(_Message(_features(text), kind == "own", path.stem))
    return found


def _wordings_of(updates: Sequence[Update]) -> list[_Message]:
    """How updates are worded, and whether the later message changes what was said before."""
    return [_Message(each.features, each.is_changed, each.author) for each in updates]


def related(cases: Sequence[Case]) -> list[_Related]:
    """The cases that have to do with nothing, and those whose evidence is found if anything is told."""
    kept = [case for case in cases if case.category != _LEFT_OUT and not is_closing(case.ask)]
    kept = [case for case in kept if case.nothing or not judged(case, searched(case, TELL_ALL)).missing]
    return [_Related(signs_of(indexed(case), question_of(case)), not case.nothing, case.id) for case in kept]


def _related_of(personas: Sequence[Persona], wordings: _Wordings) -> Iterator[tuple[_Related, float]]:
    """The messages of personas, as ``related``, with memories of several sizes, and what each counts."""
    for place, persona in enumerate(personas):
        in_circle = [*personas[place + 1 :], *personas[:place]]
        others = [each for each in in_circle if each.language == persona.language]
        sized = [(persona.begun(count), weight) for count, weight in _BEGUN.items()]
        sized += [(persona, 1.0), (persona.in_crowd(others[:_CROWD]), _OF_CROWD)]
        for each, weight in sized:
            index = each.index()
            for message in each.asked:
                if is_closing(message.text):
                    continue
                if not message.needs or told_numbers(each, index, message, TELL_ALL).issuperset(message.needs):
                    signs = signs_of(index, each.question(message.text))
                    signs = replace(signs, wording=wordings[each.author, _features(message.text)])
                    yield _Related(signs, bool(message.needs), each.author), weight


def _classifier(messages: Sequence[_Message]) -> Classifier:
    return Classifier(
        [each.features for each in messages],
        [each.is_so for each in messages],
        [each.weight for each in messages],
    )


def _folds(authors: Sequence[str]) -> dict[str, int]:
    return {author: place % _FOLDS for place, author in enumerate(sorted(set(authors)))}


def _left_out_odds(messages: Sequence[_Message]) -> Numbers:
    """The log odds of each message, by a classifier fitted without its author."""
    of_author = _folds([each.author for each in messages])
    folds, found = np.array([of_author[each.author] for each in messages]), np.zeros(len(messages))
    for fold in range(_FOLDS):
        others = _classifier([each for each in messages if of_author[each.author] != fold])
        found[folds == fold] = others.log_odds([each.features for each in messages if of_author[each.author] == fold])
    return found


def _fit_wording(wording: Wording, messages: Sequence[_Message], left_out: Numbers) -> None:
    """Write the file of ``wording``; ``left_out`` are the messages' ``_left_out_odds``."""
    right = float(((left_out > 0) == np.array([each.is_so for each in messages])).mean())
    print(f"{wording.path.name}: of {len(messages)} messages by authors left out {right:.1%} are right")
    np.save(wording.path, _classifier(messages).entries())


def _fit_changes(
    updates: Sequence[Sequence[Update]], wordings: Sequence[_Message], personas: Sequence[Persona]
) -> None:
    """Write the file of ``changes``; ``updates`` are those of each author, and ``wordings`` theirs."""
    samples = [sample for each in updates for sample in pairs.of_updates(each)]
    # What the wording says of a message that it was fitted with is no evidence.
    folds, wording = _folds([each.author for each in wordings]), _classifier(wordings)
    values = np.array([sample.signs for sample in samples], float)
    for fold in range(_FOLDS):
        others = _classifier([each for each in wordings if folds[each.author] != fold])
        places = [place for place, sample in enumerate(samples) if folds[sample.author] == fold]
        values[places, Sign.WORDING] = others.log_odds([samples[place].features for place in places])
    further = list(pairs.of_cases([*read_cases(CASES), *read_cases(UNSEEN)]))
    further += [sample for persona in personas for sample in pairs.of_persona(persona)]
    values = np.concatenate([_clipped(values), _values_of(further, wording)])
    samples += further
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
    _print_changes(held_out, _values_of(held_out, wording))


def _values_of(samples: Sequence[Sample], wording: Classifier) -> Numbers:
    """The values of all signs."""
    values = np.array([sample.signs for sample in samples], float)
    values[:, Sign.WORDING] = wording.log_odds([sample.features for sample in samples])
    return _clipped(values)


def _clipped(values: Numbers) -> Numbers:
    """``values`` of pairs, with the wording between the bounds of ``Pairs.wording``."""
    values[:, Sign.WORDING] = values[:, Sign.WORDING].clip(-MAX_OF_WORDING, MAX_OF_WORDING)
    return values


def _print_changes(samples: Sequence[Sample], values: Numbers) -> None:
    """What the file of ``changes`` says of pairs."""
    odds = changes.Network().log_odds(values.astype(np.float32))
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


def _fit_relevance(personas: Sequence[Persona], wordings: _Wordings) -> None:
    """Print the model's weights."""
    of_cases = related([*read_cases(CASES), *read_cases(UNSEEN)])
    of_personas = list(_related_of(personas, wordings))
    found = [*of_cases, *(each for each, _ in of_personas)]
    values = np.array([each.signs.values() for each in found], float)
    is_related = np.array([each.is_related for each in found], float)
    weights = np.array([*[_OF_CASE] * len(of_cases), *(weight for _, weight in of_personas)])
    print("relevance.py:", logistic_regression(values, is_related, weights).round(2).tolist())
    of_group = _folds([each.group for each in found])
    folds = np.array([of_group[each.group] for each in found])
    told = np.zeros(len(found), bool)
    for fold in range(_FOLDS):
        others = folds != fold
        model: Numbers = logistic_regression(values[others], is_related[others], weights[others])
        told[~others] = values[~others] @ model >= WEIGHTS.floor
    signs = [each.signs for each in found]
    told &= np.array([each.may_be_found for each in signs])
    told |= np.array([each.days >= WEIGHTS.floor_of_days and not each.is_of_the_world for each in signs])
    sizes = np.array([each.exchanges for each in signs])
    is_case = np.arange(len(found)) < len(of_cases)
    of_sizes = {f"personas, {size} exchanges": ~is_case & (sizes == size) for size in np.unique(sizes[~is_case])}
    for name, those in {"cases": is_case, **of_sizes}.items():
        unrelated, others = told[those & (is_related == 0)], told[those & (is_related == 1)]
        print(
            f"{name}: of {len(unrelated)} unrelated messages {int(unrelated.sum())} are told something, "
            f"of {len(others)} others {int((~others).sum())} nothing"
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
        raise SystemExit(f"There is nothing to fit that is called {', '.join(sorted(unknown))}: {', '.join(fits)}.")
    for name, fit in fits.items():
        if not arguments or name in arguments:
            fit()


if __name__ == "__main__":
    _main(sys.argv[1:])
