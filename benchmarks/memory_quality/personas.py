"""What invented people told an assistant over months, and what they asked it later, about that or in general. Pure.

``personas/`` has a file for each author, none of whom knew the code or the cases. A line has these fields, separated by
tabs:

- “said”, a message, and the answer to it, in chronological order;
- “asks”, the numbers (from 1 on, separated by commas) of the messages that one must know to answer, and a message;
- “general”, and a message on the same topics for which no earlier message matters.

Nothing is fitted to the personas in ``held_out/``. ``python -m benchmarks.memory_quality.personas [FILE]...`` measures
the search with these, or with files, and prints its errors.
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
from memory.search.exchanges import IndexedExchange
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


class PersonaMessage(NamedTuple):
    """A message, and the numbers of the exchanges that it needs: none if it is general."""

    text: str
    needs: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Persona:
    """The messages that someone ``said``, with the answers, and those that they ``asked`` later.

    ``author`` is the name of the file.
    """

    author: str
    said: Sequence[tuple[str, str]]
    asked: Sequence[PersonaMessage]

    @property
    def language(self) -> str:
        return language_of(self.author)

    def index(self) -> ExchangeIndex:
        """The index of the exchanges. Exchange number N has the id N."""
        rng, index = np.random.default_rng(_SEED), ExchangeIndex()
        for number, (message, response) in enumerate(self.said, start=1):
            index.add(
                IndexedExchange(
                    id=UUID(int=number),
                    at=_BEGIN + timedelta(hours=_HOURS_BETWEEN * number + rng.uniform(0, 12)),
                    session_id=str(number // _IN_CONVERSATION),
                    message=message,
                    response=response,
                    language=self.language,
                )
            )
        return index

    def after(self, count: int) -> "Persona":
        """The persona after the first ``count`` exchanges, without later messages that need others."""
        kept = [message for message in self.asked if all(number <= count for number in message.needs)]
        return Persona(self.author, self.said[:count], kept)

    def with_exchanges_of(self, others: Iterable["Persona"]) -> "Persona":
        """The persona with the exchanges of ``others`` before its own."""
        before = [said for other in others for said in other.said]
        asked = [
            PersonaMessage(message.text, tuple(len(before) + each for each in message.needs)) for message in self.asked
        ]
        return Persona(self.author, [*before, *self.said], asked)

    def question(self, text: str) -> Question:
        """``text`` as a question after all exchanges."""
        now = _BEGIN + timedelta(hours=_HOURS_BETWEEN * (len(self.said) + 2))
        return Question(text=text, now=now, language=self.language)


def persona_in(path: Path) -> Persona:
    """The persona in a file. Raises ``ValueError`` if a line is invalid."""
    said, asked = list[tuple[str, str]](), list[PersonaMessage]()
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        match line.split("\t"):
            case "said", message, response if message and response:
                said.append((message, response))
            case "asks", needs, text if text and all(each.isdecimal() for each in needs.split(",")):
                asked.append(PersonaMessage(text, tuple(map(int, needs.split(",")))))
            case "general", text if text:
                asked.append(PersonaMessage(text, ()))
            case _:
                raise ValueError(f"{path.name}, line {number} has other fields than a persona")
    if any(not 1 <= each <= len(said) for message in asked for each in message.needs):
        raise ValueError(f"{path.name} asks for exchanges that it does not have")
    return Persona(path.stem, said, asked)


def personas_in(folder: Path = PERSONAS) -> list[Persona]:
    """The personas in a folder, sorted by file name."""
    return [persona_in(path) for path in sorted(folder.glob("*.tsv"))]


def recalled_numbers(
    persona: Persona, index: ExchangeIndex, message: PersonaMessage, weights: Weights = WEIGHTS
) -> frozenset[int]:
    """The numbers of the exchanges that are recalled for a message."""
    return frozenset(each.id.int for each in recalled(index, persona.question(message.text), weights) if each.text)


def _main(arguments: Sequence[str]) -> None:
    for path in map(Path, arguments) if arguments else sorted(HELD_OUT.glob("*.tsv")):
        persona = persona_in(path)
        index = persona.index()
        results = [(message, recalled_numbers(persona, index, message)) for message in persona.asked]
        for message, numbers in results:
            if not message.needs and numbers:
                print(f"general, but something recalled: {message.text}")
            elif not numbers.issuperset(message.needs):
                print(f"{'not all it needs recalled' if numbers else 'nothing recalled'}: {message.text}")
        complete = [numbers.issuperset(message.needs) for message, numbers in results if message.needs]
        empty = [not numbers for message, numbers in results if message.needs]
        general_empty = [not numbers for message, numbers in results if not message.needs]
        print(
            f"{path.stem}: of {len(complete)} messages about the memory, all needed recalled {sum(complete)}, "
            f"nothing recalled {sum(empty)}; of {len(general_empty)} general ones, nothing {sum(general_empty)}"
        )


if __name__ == "__main__":
    _main(sys.argv[1:])
