"""Statements and later statements about the same thing, and whether the search recalls superseded ones. Pure.

``updates/`` has a file for each author. A line has four fields separated by tabs: “changed” or “kept”, a statement, a
later statement, and a question after both. After “changed”, the first statement no longer holds; after “kept”, it still
does, although the later one is about the same thing. Nothing is fitted to the updates in ``held_out/``.

``python -m benchmarks.memory_quality.updates [FILE]...`` measures the search with these, or with files, and prints its
errors.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Final
from uuid import UUID

import numpy as np

from memory.search.exchanges import IndexedExchange
from memory.search.index import ExchangeIndex
from memory.search.question import Question
from memory.search.ranking import recalled
from memory.search.wording import compared_words, features_of_change

UPDATES: Final = Path(__file__).with_name("updates")
HELD_OUT: Final = UPDATES / "held_out"

_BEGIN: Final = datetime(2026, 1, 5, 9, tzinfo=UTC)
_MAX_DAYS: Final = 120
"""The maximum of the days until the first statement, and between both."""
_LOG_DAYS: Final = 2.6
"""The mean of the logarithm of the days between both statements."""
_LOG_DAYS_SD: Final = 1.0
"""The standard deviation of the logarithm of the days between both statements."""
ASKED_AT: Final = _BEGIN + timedelta(days=400)
_ANSWERS: Final = {"en": ("Noted.", "Got it.", "OK, noted."), "it": ("Annotato.", "Va bene, segnato.", "Ok.")}
_SEED: Final = 7


@dataclass(frozen=True, slots=True)
class Update:
    """An ``earlier`` and a ``later`` statement, and a ``question`` after both.

    ``is_changed``: the earlier one no longer holds. ``author`` is the name of the file.
    """

    author: str
    language: str
    is_changed: bool
    earlier: str
    later: str
    question: str

    @property
    def wording_features(self) -> frozenset[str]:
        return wording_features(self.earlier, self.later, self.question)

    def asked(self) -> Question:
        return Question(text=self.question, now=ASKED_AT, language=self.language)


def wording_features(earlier: str, later: str, question: str) -> frozenset[str]:
    """The features of the wording of two statements and a question."""
    return frozenset(features_of_change(*map(compared_words, (earlier, later, question))))


class Outcome(StrEnum):
    """What happens to an earlier statement."""

    UNMARKED = "recalled unmarked"
    PERHAPS = "recalled with “perhaps”"
    LEFT_OUT = "left out"
    NOT_FOUND = "not found"


def language_of(author: str) -> str:
    """The language of an author, with which the name of the file begins."""
    return "it" if author.startswith("italian") else "en"


def updates_in(path: Path) -> list[Update]:
    """All updates of a file. Raises ``ValueError`` for an invalid line."""
    language, found = language_of(path.stem), []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        fields = line.split("\t")
        if len(fields) != 4 or fields[0] not in ("changed", "kept") or not all(fields):
            raise ValueError(f"{path.name}, line {number} is no update")
        found.append(Update(path.stem, language, fields[0] == "changed", *fields[1:]))
    return found


def indexed(updates: Sequence[Update]) -> ExchangeIndex:
    """All statements of one author in one index. The exchanges of update number N have the ids 2 N and 2 N + 1.

    Their times are random, the later one some days after the earlier one.
    """
    rng = np.random.default_rng(_SEED)
    statements = []
    for number, update in enumerate(updates):
        earlier = _BEGIN + timedelta(days=rng.uniform(0, _MAX_DAYS))
        later = earlier + timedelta(days=min(rng.lognormal(_LOG_DAYS, _LOG_DAYS_SD), _MAX_DAYS))
        statements += [(earlier, 2 * number, update.earlier), (later, 2 * number + 1, update.later)]
    index = ExchangeIndex()
    for at, number, message in sorted(statements):
        update = updates[number // 2]
        index.add(
            IndexedExchange(
                id=UUID(int=number),
                at=at,
                session_id=str(number),
                message=message,
                response=str(rng.choice(_ANSWERS[update.language])),
                language=update.language,
            )
        )
    return index


def outcomes(updates: Sequence[Update]) -> Iterator[Outcome]:
    """What the search does with the earlier statement of each update of one author."""
    index = indexed(updates)
    for number, update in enumerate(updates):
        found = next((each for each in recalled(index, update.asked()) if each.id.int == 2 * number), None)
        if found is None:
            yield Outcome.NOT_FOUND
        elif not found.superseded:
            yield Outcome.UNMARKED
        else:
            yield Outcome.LEFT_OUT if any(change.sure for _, change in found.superseded) else Outcome.PERHAPS


def _main(arguments: Sequence[str]) -> None:
    for path in map(Path, arguments) if arguments else sorted(HELD_OUT.glob("*.tsv")):
        updates = updates_in(path)
        found = list(outcomes(updates))
        for update, outcome in zip(updates, found, strict=True):
            if outcome is not Outcome.NOT_FOUND and (outcome is Outcome.UNMARKED) == update.is_changed:
                print(f"{'changed' if update.is_changed else 'kept'}, but {outcome.value}: {update.earlier}")
                print(f"    {update.later}\n    {update.question}")
        for is_changed in (True, False):
            of_kind = [each for update, each in zip(updates, found, strict=True) if update.is_changed == is_changed]
            counts = ", ".join(f"{of_kind.count(each)} {each.value}" for each in Outcome)
            print(f"{path.stem}: of {len(of_kind)} that {'changed' if is_changed else 'still hold'}, {counts}")


if __name__ == "__main__":
    _main(sys.argv[1:])
