"""What invented people told an assistant over months, and what they asked it later, about that or in general. Pure.

``personas/`` has a file for each author, who knew neither code nor cases. A line is one of these, with tabs between:

- “said”, a message, and the answer to it, in the order of time;
- “asks”, the numbers of the messages that one must know to answer (from 1 on, commas between), and a message;
- “general”, and a message about the same topics for which nothing that was said matters.

With those in ``held_out/`` nothing is fitted. ``python -m benchmarks.memory_quality.personas [FILE]...`` tells what the
search makes of those held out, or of files, and names what it gets wrong.
"""

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, NamedTuple
from uuid import UUID

import numpy as np

from benchmarks.memory_quality.updates import language_of
from memory.search.exchanges import Said
from memory.search.index import ExchangeIndex
from memory.search.question import Question
from memory.search.ranking import recalled
from memory.search.weights import WEIGHTS, Weights

PERSONAS: Final = Path(__file__).with_name("personas")
HELD_OUT: Final = PERSONAS / "held_out"

_BEGIN: Final = datetime(2026, 1, 5, 9, tzinfo=UTC)
_HOURS_BETWEEN: Final = 36.0
"""Between two messages, on average."""
_IN_CONVERSATION: Final = 3
_SEED: Final = 7


class Asked(NamedTuple):
    """A message, and the numbers of what must be known to answer it: none if it is general."""

    text: str
    needs: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Persona:
    """What someone ``said``, with the answers, and wrote later. ``author`` is the name of the file."""

    author: str
    said: Sequence[tuple[str, str]]
    asked: Sequence[Asked]

    @property
    def language(self) -> str:
        return language_of(self.author)

    def index(self) -> ExchangeIndex:
        """What was said; the id of the exchange number N is N."""
        chance, index = np.random.default_rng(_SEED), ExchangeIndex()
        for number, (message, response) in enumerate(self.said, start=1):
            index.add(
                Said(
                    id=UUID(int=number),
                    at=_BEGIN + timedelta(hours=_HOURS_BETWEEN * number + chance.uniform(0, 12)),
                    session_id=str(number // _IN_CONVERSATION),
                    message=message,
                    response=response,
                    language=self.language,
                )
            )
        return index

    def begun(self, count: int) -> "Persona":
        """They after the first ``count`` messages, and what has to do with these or is general."""
        kept = [message for message in self.asked if all(number <= count for number in message.needs)]
        return Persona(self.author, self.said[:count], kept)

    def in_crowd(self, others: Iterable["Persona"]) -> "Persona":
        """They, had they said before what ``others`` said, too."""
        before = [said for other in others for said in other.said]
        asked = [Asked(message.text, tuple(len(before) + each for each in message.needs)) for message in self.asked]
        return Persona(self.author, [*before, *self.said], asked)

    def question(self, text: str) -> Question:
        """A message of theirs, after all that they said."""
        now = _BEGIN + timedelta(hours=_HOURS_BETWEEN * (len(self.said) + 2))
        return Question(text=text, now=now, language=self.language)


def persona_in(path: Path) -> Persona:
    """Raises ``ValueError`` for a line that is none of a persona."""
    said, asked = list[tuple[str, str]](), list[Asked]()
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        match line.split("\t"):
            case "said", message, response if message and response:
                said.append((message, response))
            case "asks", needs, text if text and all(each.isdecimal() for each in needs.split(",")):
                asked.append(Asked(text, tuple(map(int, needs.split(",")))))
            case "general", text if text:
                asked.append(Asked(text, ()))
            case _:
                raise ValueError(f"{path.name} has a line that is none of a persona: {number}")
    if any(not 1 <= each <= len(said) for message in asked for each in message.needs):
        raise ValueError(f"{path.name} asks for what was not said.")
    return Persona(path.stem, said, asked)


def personas_in(folder: Path = PERSONAS) -> list[Persona]:
    """Those of a folder, by name."""
    return [persona_in(path) for path in sorted(folder.glob("*.tsv"))]


def told_numbers(persona: Persona, index: ExchangeIndex, message: Asked, weights: Weights = WEIGHTS) -> frozenset[int]:
    """The numbers of what is told for a message."""
    return frozenset(each.id.int for each in recalled(index, persona.question(message.text), weights) if each.text)


def _main(arguments: Sequence[str]) -> None:
    for path in map(Path, arguments) if arguments else sorted(HELD_OUT.glob("*.tsv")):
        persona = persona_in(path)
        index = persona.index()
        told = [(message, told_numbers(persona, index, message)) for message in persona.asked]
        for message, numbers in told:
            if not message.needs and numbers:
                print(f"general, told something: {message.text}")
            elif not numbers.issuperset(message.needs):
                print(f"{'not all that it needs' if numbers else 'told nothing'}: {message.text}")
        related = [numbers.issuperset(message.needs) for message, numbers in told if message.needs]
        empty = [not numbers for message, numbers in told if message.needs]
        others = [not numbers for message, numbers in told if not message.needs]
        print(
            f"{path.stem}: of {len(related)} that ask for something said {sum(related)} are told it and {sum(empty)} "
            f"nothing; of {len(others)} general ones {sum(others)} are told nothing"
        )


if __name__ == "__main__":
    _main(sys.argv[1:])
