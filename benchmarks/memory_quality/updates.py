"""What people said, and later said of the same: whether the search tells what no longer holds. Pure.

``updates/`` has a file for each author. A line has four fields between tabs: “changed” or “kept”, what was said, what
was said later, and what is asked after both. “changed” is what no longer holds after the second message, “kept” what
does, although that is about the same. With those in ``held_out/`` nothing is fitted.

``python -m benchmarks.memory_quality.updates [FILE]...`` tells what the search makes of those held out, or of files,
and names what it gets wrong.
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

from memory.search.exchanges import Said
from memory.search.index import ExchangeIndex
from memory.search.question import Question
from memory.search.ranking import recalled
from memory.search.wording import features_of_change, said_words

UPDATES: Final = Path(__file__).with_name("updates")
HELD_OUT: Final = UPDATES / "held_out"

_BEGIN: Final = datetime(2026, 1, 5, 9, tzinfo=UTC)
_SAID_WITHIN_DAYS: Final = 120
_APART: Final = 2.6
"""The logarithm of the days between what was said and what was said later, at the median; with that deviation:"""
_DEVIATION: Final = 1.0
ASKED_AT: Final = _BEGIN + timedelta(days=400)
_ANSWERS: Final = {"en": ("Noted.", "Got it.", "OK, noted."), "it": ("Annotato.", "Va bene, segnato.", "Ok.")}
_SEED: Final = 7


@dataclass(frozen=True, slots=True)
class Update:
    """What was said (``earlier``), what was said later, and whether the first no longer holds then (``is_changed``).

    ``question`` is asked after both. ``author`` is the name of the file.
    """

    author: str
    language: str
    is_changed: bool
    earlier: str
    later: str
    question: str

    @property
    def features(self) -> frozenset[str]:
        """Those of its wording."""
        return worded(self.earlier, self.later, self.question)

    def asked(self) -> Question:
        return Question(text=self.question, now=ASKED_AT, language=self.language)


def worded(earlier: str, later: str, question: str) -> frozenset[str]:
    """The features of the wording of what was said, what was said later, and what is asked."""
    return frozenset(features_of_change(*map(said_words, (earlier, later, question))))


class Outcome(StrEnum):
    """What is told of an earlier message."""

    UNMARKED = "as it was said"
    DOUBTED = "with a doubt"
    GONE = "not, since it no longer holds"
    NOT_FOUND = "not, since it was not found"


def language_of(author: str) -> str:
    """The language that an author writes: the name of the file begins with it."""
    return "it" if author.startswith("italian") else "en"


def updates_in(path: Path) -> list[Update]:
    """All updates of a file. Raises ``ValueError`` for a line that is not one."""
    language, found = language_of(path.stem), []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        fields = line.split("\t")
        if len(fields) != 4 or fields[0] not in ("changed", "kept") or not all(fields):
            raise ValueError(f"{path.name} has a line that is no update: {number}")
        found.append(Update(path.stem, language, fields[0] == "changed", *fields[1:]))
    return found


def indexed(updates: Sequence[Update]) -> ExchangeIndex:
    """All that one author said, in one index: of the update number N the exchanges 2 N and 2 N + 1.

    When each was said is by chance, the later one some days after the earlier one.
    """
    chance = np.random.default_rng(_SEED)
    said = []
    for number, update in enumerate(updates):
        earlier = _BEGIN + timedelta(days=chance.uniform(0, _SAID_WITHIN_DAYS))
        later = earlier + timedelta(days=min(chance.lognormal(_APART, _DEVIATION), _SAID_WITHIN_DAYS))
        said += [(earlier, 2 * number, update.earlier), (later, 2 * number + 1, update.later)]
    index = ExchangeIndex()
    for at, number, message in sorted(said):
        update = updates[number // 2]
        index.add(
            Said(
                id=UUID(int=number),
                at=at,
                session_id=str(number),
                message=message,
                response=str(chance.choice(_ANSWERS[update.language])),
                language=update.language,
            )
        )
    return index


def outcomes(updates: Sequence[Update]) -> Iterator[Outcome]:
    """What the search tells of the earlier message of each update of one author."""
    index = indexed(updates)
    for number, update in enumerate(updates):
        found = next((each for each in recalled(index, update.asked()) if each.id.int == 2 * number), None)
        if found is None:
            yield Outcome.NOT_FOUND
        elif not found.changed:
            yield Outcome.UNMARKED
        else:
            yield Outcome.GONE if any(change.sure for _, change in found.changed) else Outcome.DOUBTED


def _main(arguments: Sequence[str]) -> None:
    for path in map(Path, arguments) if arguments else sorted(HELD_OUT.glob("*.tsv")):
        updates = updates_in(path)
        found = list(outcomes(updates))
        for update, outcome in zip(updates, found, strict=True):
            if outcome is not Outcome.NOT_FOUND and (outcome is Outcome.UNMARKED) == update.is_changed:
                print(f"{'changed' if update.is_changed else 'kept'}, told {outcome.value}: {update.earlier}")
                print(f"    {update.later}\n    {update.question}")
        for is_changed in (True, False):
            those = [each for update, each in zip(updates, found, strict=True) if update.is_changed == is_changed]
            counts = ", ".join(f"{those.count(each)} {each.value}" for each in Outcome)
            print(f"{path.stem}: of {len(those)} that {'changed' if is_changed else 'still hold'} told {counts}")


if __name__ == "__main__":
    _main(sys.argv[1:])
