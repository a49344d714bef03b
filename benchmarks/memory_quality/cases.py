"""The project's own cases of recall, which the files in ``cases/`` describe, and whether each passes. Pure.

A case adds a few exchanges to the many others of a life in ``lives/``, and asks a question later.

``python -m benchmarks.memory_quality.cases [--unseen | --held-out] [CATEGORY or CATEGORY/NAME]...`` asks the search
alone, without a server, and prints the cases that fail.
"""

import re
import sys
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final, TypeVar
from uuid import UUID
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict, Field, NaiveDatetime, ValidationError

from benchmarks.memory_quality.conversations import Turn, content_words, is_recalled
from memory.search.exchanges import IndexedExchange
from memory.search.follow_ups import Earlier
from memory.search.index import ExchangeIndex
from memory.search.question import Question
from memory.search.ranking import recalled
from memory.search.weights import WEIGHTS, Weights

CASES: Final = Path(__file__).with_name("cases")
UNSEEN: Final = Path(__file__).with_name("unseen")
"""Further cases, to which superseded statements, applicable preferences and the relevance threshold were fitted."""
HELD_OUT: Final = Path(__file__).with_name("held_out")
"""Cases to which no weight was fitted."""
UNASKED: Final = "unasked"
"""The category of preferences that apply to a request that does not mention them."""
LIVES: Final = Path(__file__).with_name("lives")

_FOLDERS: Final = {"--unseen": UNSEEN, "--held-out": HELD_OUT}
_INTERVAL: Final = timedelta(minutes=2)
"""Between two exchanges of a session."""
_MARK: Final = re.compile(r"\b(?:until|fino al) \d{4}-\d\d-\d\d\b|\bno longer true\b|\bnon più vero\b|\bsuperseded\b")
"""The mark of an item that no longer holds."""

_Model = TypeVar("_Model", bound=BaseModel)


class UnreadableCase(Exception):
    """A file of cases or lives is invalid. The message says where and why."""


class _Description(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Session(_Description):
    """The messages and answers of one conversation, which began at ``at``."""

    at: NaiveDatetime
    said: tuple[tuple[str, str], ...] = Field(min_length=1)


class _Life(_Description):
    """A person's exchanges with the assistant, which many cases share. ``language`` is an IETF tag."""

    language: str
    timezone: str
    session: tuple[_Session, ...]


class _CaseDescription(_Description):
    """A case in a file. Times are in the time zone of its life."""

    name: str
    life: str
    ask: str
    asked: NaiveDatetime
    evidence: tuple[str, ...] = ()
    superseded: tuple[str, ...] = ()
    past: bool = False
    nothing: bool = False
    before: tuple[tuple[str, str], ...] = ()
    session: tuple[_Session, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    """A question after some months of exchanges, and what must be recalled for it.

    The ``evidence`` must be recalled, or nothing at all (``nothing``). ``superseded`` statements must not be recalled
    without a mark. If the question is about the ``past``, they are a part of the evidence. ``turns`` are those before
    ``asked``, in order. The last of these, ``before``, belong to the conversation in which the question is asked.
    """

    name: str
    category: str
    language: str
    turns: Sequence[Turn]
    ask: str
    asked: datetime
    evidence: Sequence[str]
    superseded: Sequence[str]
    past: bool
    nothing: bool
    before: Sequence[Turn] = ()

    @property
    def id(self) -> str:
        """``category/name``."""
        return f"{self.category}/{self.name}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    """What was recalled for a case. ``empty``: nothing.

    ``missing`` is evidence that was not recalled, and ``unmarked`` are superseded statements without a mark.
    ``superseded`` are all that were recalled, marked or not, although the question is not about the past.
    ``wrongly_marked`` is evidence that holds and was recalled only with a mark.
    """

    case: Case
    empty: bool
    missing: Sequence[str]
    unmarked: Sequence[str]
    superseded: Sequence[str]
    wrongly_marked: Sequence[str]

    @property
    def passed(self) -> bool:
        return not (self.missing or self.unmarked or self.wrongly_marked or (self.case.nothing and not self.empty))


@dataclass(frozen=True, kw_only=True, slots=True)
class Figures:
    """Shares (0 to 1) over many cases, and numbers of texts, as ``Verdict`` has them.

    ``evidence`` is the share of all pieces of evidence that were recalled. ``unrelated_empty`` and ``related_empty``
    are the shares of unrelated questions, and of all others, for which nothing was recalled.
    """

    evidence: float
    unrelated_empty: float
    related_empty: float
    unmarked: int
    superseded: int
    wrongly_marked: int


def read_cases(folder: Path = CASES, lives: Path = LIVES) -> list[Case]:
    """All cases, by file and in the file's order. Raises ``UnreadableCase``."""
    life_of = {path.stem: _valid(_Life, _parsed(path), str(path)) for path in sorted(lives.glob("*.toml"))}
    cases = [case for path in sorted(folder.glob("*.toml")) for case in _cases_in(path, life_of)]
    ids = [case.id for case in cases]
    if duplicate := next((name for index, name in enumerate(ids) if name in ids[:index]), None):
        raise UnreadableCase(f"Two cases are called {duplicate}.")
    return cases


def judged(case: Case, items: Iterable[str]) -> Verdict:
    """The verdict on ``items`` of the memory, each as in the prompt, that were recalled for ``case``."""
    items = list(items)
    words = [content_words(item, case.language) for item in items]
    marked = [_MARK.search(item) is not None for item in items]
    current = [text for text in case.evidence if text not in case.superseded]
    unmarked = [item for item, has_mark in zip(words, marked, strict=True) if not has_mark]

    def superseded_in(items: Sequence[frozenset[str]]) -> list[str]:
        # An item that also says what holds now does not count.
        older = [item for item in items if not any(is_recalled(text, [item], case.language) for text in current)]
        return [text for text in case.superseded if is_recalled(text, older, case.language)]

    missing = [text for text in case.evidence if not is_recalled(text, words, case.language)]
    return Verdict(
        case=case,
        empty=not items,
        missing=missing,
        unmarked=superseded_in(unmarked),
        superseded=[] if case.past else superseded_in(words),
        wrongly_marked=[
            text for text in current if text not in missing and not is_recalled(text, unmarked, case.language)
        ],
    )


def figures_of(verdicts: Sequence[Verdict]) -> Figures:
    """The figures of ``verdicts``. Without related cases, ``evidence`` is 1 and ``related_empty`` 0; without unrelated
    ones, ``unrelated_empty`` is 1.
    """
    related = [verdict for verdict in verdicts if not verdict.case.nothing]
    unrelated = [verdict for verdict in verdicts if verdict.case.nothing]
    pieces = sum(len(verdict.case.evidence) for verdict in related)
    return Figures(
        evidence=1 - sum(len(verdict.missing) for verdict in related) / max(pieces, 1),
        unrelated_empty=1 - sum(not verdict.empty for verdict in unrelated) / max(len(unrelated), 1),
        related_empty=sum(verdict.empty for verdict in related) / max(len(related), 1),
        unmarked=sum(len(verdict.unmarked) for verdict in verdicts),
        superseded=sum(len(verdict.superseded) for verdict in verdicts),
        wrongly_marked=sum(len(verdict.wrongly_marked) for verdict in verdicts),
    )


def search_alone(case: Case, weights: Weights = WEIGHTS) -> list[str]:
    """The texts that the search alone recalls for a case, without a server, vectors and facts."""
    return [each.text for each in recalled(indexed(case), question_of(case), weights) if each.text]


def indexed(case: Case) -> ExchangeIndex:
    """The index of all exchanges before the question of a case."""
    index = ExchangeIndex()
    for number, turn in enumerate(case.turns):
        index.add(
            IndexedExchange(
                id=UUID(int=number),
                at=turn.at,
                session_id=turn.session,
                message=turn.message,
                response=turn.response,
                language=case.language,
            )
        )
    return index


def question_of(case: Case) -> Question:
    """The question of a case, in its conversation."""
    sides = [((turn.message, False), (turn.response, True)) for turn in case.before]
    before = [Earlier(text, is_answer) for side in sides for text, is_answer in side]
    return Question(text=case.ask, now=case.asked, language=case.language, before=before)


def _cases_in(path: Path, lives: Mapping[str, _Life]) -> list[Case]:
    content = _parsed(path)
    cases = content.pop("case", [])
    if content or not isinstance(cases, list):
        raise UnreadableCase(f"{path} contains something besides cases, which begin with [[case]].")
    return [_case(path, number, case, lives) for number, case in enumerate(cases, start=1)]


def _case(path: Path, number: int, content: dict[str, object], lives: Mapping[str, _Life]) -> Case:
    where = f"{path}: case {content.get('name') or f'number {number}'}"
    read = _valid(_CaseDescription, content, where)
    if (life := lives.get(read.life)) is None:
        raise UnreadableCase(f"{where} has an unknown life: {read.life}.")
    zone = ZoneInfo(life.timezone)
    asked = read.asked.replace(tzinfo=zone)
    turns = [turn for turn in _turns(read.life, life.session, zone) if turn.at < asked]
    turns += (own := _turns(read.name, read.session, zone))
    if any(turn.at >= asked for turn in own):
        raise UnreadableCase(f"{where} is asked before the end of its exchanges.")
    conversation = (
        _Session(at=read.asked - (len(read.before) + 1) * _INTERVAL, said=read.before) if read.before else None
    )
    before = _turns(f"{read.name} now", [conversation], zone) if conversation else []
    return Case(
        name=read.name,
        category=path.stem,
        language=life.language,
        turns=sorted([*turns, *before], key=lambda turn: turn.at),
        ask=read.ask,
        asked=asked,
        evidence=read.evidence,
        superseded=read.superseded,
        past=read.past,
        nothing=read.nothing,
        before=before,
    )


def _turns(name: str, sessions: Iterable[_Session], zone: ZoneInfo) -> list[Turn]:
    return [
        Turn(
            session=f"{name} {number}",
            message=message,
            response=response,
            at=session.at.replace(tzinfo=zone) + index * _INTERVAL,
        )
        for number, session in enumerate(sessions, start=1)
        for index, (message, response) in enumerate(session.said)
    ]


def _parsed(path: Path) -> dict[str, object]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UnreadableCase(f"{path} cannot be read: {error}.") from None


def _valid(model: type[_Model], content: object, where: str) -> _Model:
    try:
        return model.model_validate(content)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise UnreadableCase(f"{where} is invalid at {'.'.join(map(str, first['loc']))}: {first['msg']}.") from None


def _faults(verdict: Verdict) -> str:
    faults = [f"missing: {text}" for text in verdict.missing] + [f"unmarked: {text}" for text in verdict.unmarked]
    faults += [f"wrongly marked: {text}" for text in verdict.wrongly_marked]
    faults += ["unrelated, but something recalled"] if verdict.case.nothing and not verdict.empty else []
    return "\n    ".join([f"{verdict.case.id}: {verdict.case.ask}", *faults])


def _line(name: str, verdicts: Sequence[Verdict]) -> str:
    figures = figures_of(verdicts)
    return (
        f"{name:15} evidence recalled {figures.evidence:.2f}, "
        f"nothing recalled: unrelated {figures.unrelated_empty:.2f}, others {figures.related_empty:.2f}, "
        f"superseded: recalled {figures.superseded}, unmarked {figures.unmarked}, "
        f"wrongly marked {figures.wrongly_marked}"
    )


def main(arguments: Sequence[str]) -> None:
    """Ask the search alone, and print the cases that fail and the figures."""
    names = set(arguments) - _FOLDERS.keys()
    folder = next((folder for option, folder in _FOLDERS.items() if option in arguments), CASES)
    cases = read_cases(folder)
    if unknown := names - {name for case in cases for name in (case.id, case.category)}:
        raise SystemExit(f"There is no case or category {', '.join(sorted(unknown))} in {folder.name}.")
    cases = [case for case in cases if not names or {case.id, case.category} & names]
    verdicts = [judged(case, search_alone(case)) for case in cases]
    for verdict in verdicts:
        if not verdict.passed:
            print(_faults(verdict))
    for category in dict.fromkeys(case.category for case in cases):
        print(_line(category, [verdict for verdict in verdicts if verdict.case.category == category]))
    print(_line("all", verdicts))


if __name__ == "__main__":
    main(sys.argv[1:])
