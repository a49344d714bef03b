"""The project's own cases of remembering, as the files in ``cases/`` describe them, and whether one is passed. Pure.

A case adds a few exchanges to a life in ``lives/``, in which they are among many others, and asks a question later.

``python -m benchmarks.memory_quality.cases [--unseen | --held-out] [CATEGORY or CATEGORY/NAME]...`` asks the search
alone, without a server, and names what fails.
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

from benchmarks.memory_quality.conversations import Turn, content_words, told
from memory.search.exchanges import Said
from memory.search.follow_ups import Earlier
from memory.search.index import ExchangeIndex
from memory.search.question import Question
from memory.search.ranking import recalled
from memory.search.weights import WEIGHTS, Weights

CASES: Final = Path(__file__).with_name("cases")
UNSEEN: Final = Path(__file__).with_name("unseen")
"""Further cases, with which only the finding of changes was fitted."""
HELD_OUT: Final = Path(__file__).with_name("held_out")
"""Changes of mind with which no weight was fitted: they show whether what was fitted with the others holds."""
UNASKED: Final = "unasked"
"""The category of what applies to a request that does not name it."""
LIVES: Final = Path(__file__).with_name("lives")

_FOLDERS: Final = {"--unseen": UNSEEN, "--held-out": HELD_OUT}
_APART: Final = timedelta(minutes=2)
"""Between two exchanges of a session."""
_MARK: Final = re.compile(r"\b(?:until|fino al) \d{4}-\d\d-\d\d\b|\bno longer true\b|\bnon più vero\b|\bsuperseded\b")
"""What an item says that is told although it no longer holds."""

_Model = TypeVar("_Model", bound=BaseModel)


class UnreadableCase(Exception):
    """A file of cases or a life is wrong: where and why is the message."""


class _Described(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Session(_Described):
    """What was said and answered in one conversation, from ``at`` on."""

    at: NaiveDatetime
    said: tuple[tuple[str, str], ...] = Field(min_length=1)


class _Life(_Described):
    """One person's exchanges with the assistant, which many cases share. ``language`` is an IETF tag."""

    language: str
    timezone: str
    session: tuple[_Session, ...]


class _CaseFile(_Described):
    """What a case says of itself; times are in the time zone of its life."""

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
    """A question after some months of exchanges, and what must be told for it.

    ``evidence`` must be told, or nothing at all (``nothing``). ``superseded`` must not be told without a mark that it
    is past; where the question asks about the past (``past``) it is a part of the evidence. ``turns`` are those before
    ``asked``, in order; the last ones, ``before``, are of the conversation in which the question is asked.
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
    """What was told for a case: ``missing`` evidence, and superseded texts that are ``unmarked``.

    ``kept`` are superseded texts that are told, marked or not, although the question is not about the past, and
    ``doubted`` is evidence that holds and is told only with a mark.
    """

    case: Case
    empty: bool
    missing: Sequence[str]
    unmarked: Sequence[str]
    kept: Sequence[str]
    doubted: Sequence[str]

    @property
    def passed(self) -> bool:
        return not (self.missing or self.unmarked or self.doubted or (self.case.nothing and not self.empty))


@dataclass(frozen=True, kw_only=True, slots=True)
class Figures:
    """Shares (0 to 1) over many cases; ``unmarked``, ``kept`` and ``doubted`` count texts as ``Verdict`` has them.

    ``evidence`` is of all pieces of evidence, ``unrelated_empty`` of the questions that nothing belongs to, and
    ``related_empty`` of all others.
    """

    evidence: float
    unrelated_empty: float
    related_empty: float
    unmarked: int
    kept: int
    doubted: int


def read_cases(folder: Path = CASES, lives: Path = LIVES) -> list[Case]:
    """All cases, by file and in the file's order. Raises ``UnreadableCase``."""
    lived = {path.stem: _valid(_Life, _parsed(path), str(path)) for path in sorted(lives.glob("*.toml"))}
    cases = [case for path in sorted(folder.glob("*.toml")) for case in _cases_in(path, lived)]
    ids = [case.id for case in cases]
    if duplicate := next((name for place, name in enumerate(ids) if name in ids[:place]), None):
        raise UnreadableCase(f"Two cases are called {duplicate}.")
    return cases


def judged(case: Case, items: Iterable[str]) -> Verdict:
    """What ``items`` of the memory, each as it is given to the model, tell of ``case``."""
    items = list(items)
    words = [content_words(item, case.language) for item in items]
    marked = [_MARK.search(item) is not None for item in items]
    current = [text for text in case.evidence if text not in case.superseded]
    # An item that says what holds now as well is not taken for the older one.
    older = [not any(told(text, [item], case.language) for text in current) for item in words]
    doubtless = [item for item, has_mark in zip(words, marked, strict=True) if not has_mark]

    def among(texts: Sequence[str], *, unmarked: bool) -> list[str]:
        chosen = [
            item
            for item, is_older, has_mark in zip(words, older, marked, strict=True)
            if is_older and not (unmarked and has_mark)
        ]
        return [text for text in texts if told(text, chosen, case.language)]

    missing = [text for text in case.evidence if not told(text, words, case.language)]
    return Verdict(
        case=case,
        empty=not items,
        missing=missing,
        unmarked=among(case.superseded, unmarked=True),
        kept=[] if case.past else among(case.superseded, unmarked=False),
        doubted=[text for text in current if text not in missing and not told(text, doubtless, case.language)],
    )


def figures_of(verdicts: Sequence[Verdict]) -> Figures:
    """Shares over cases of which some have evidence; of a share over no case the value is 1, or 0 if it is a fault."""
    related = [verdict for verdict in verdicts if not verdict.case.nothing]
    unrelated = [verdict for verdict in verdicts if verdict.case.nothing]
    pieces = sum(len(verdict.case.evidence) for verdict in related)
    return Figures(
        evidence=1 - sum(len(verdict.missing) for verdict in related) / max(pieces, 1),
        unrelated_empty=1 - sum(not verdict.empty for verdict in unrelated) / max(len(unrelated), 1),
        related_empty=sum(verdict.empty for verdict in related) / max(len(related), 1),
        unmarked=sum(len(verdict.unmarked) for verdict in verdicts),
        kept=sum(len(verdict.kept) for verdict in verdicts),
        doubted=sum(len(verdict.doubted) for verdict in verdicts),
    )


def searched(case: Case, weights: Weights = WEIGHTS) -> list[str]:
    """What the search alone tells of a case: no server, no vectors, no facts."""
    return [each.text for each in recalled(indexed(case), question_of(case), weights) if each.text]


def indexed(case: Case) -> ExchangeIndex:
    """What was said before a case is asked."""
    index = ExchangeIndex()
    for number, turn in enumerate(case.turns):
        index.add(
            Said(
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
    """What a case asks, in its conversation."""
    sides = [((turn.message, False), (turn.response, True)) for turn in case.before]
    before = [Earlier(text, is_answer) for side in sides for text, is_answer in side]
    return Question(text=case.ask, now=case.asked, language=case.language, before=before)


def _cases_in(path: Path, lives: Mapping[str, _Life]) -> list[Case]:
    described = _parsed(path)
    cases = described.pop("case", [])
    if described or not isinstance(cases, list):
        raise UnreadableCase(f"{path} holds more than cases: each begins with [[case]].")
    return [_case(path, number, case, lives) for number, case in enumerate(cases, start=1)]


def _case(path: Path, number: int, described: dict[str, object], lives: Mapping[str, _Life]) -> Case:
    where = f"{path}: case {described.get('name') or f'number {number}'}"
    read = _valid(_CaseFile, described, where)
    if (life := lives.get(read.life)) is None:
        raise UnreadableCase(f"{where} has a life that there is not: {read.life}.")
    zone = ZoneInfo(life.timezone)
    asked = read.asked.replace(tzinfo=zone)
    turns = [turn for turn in _turns(read.life, life.session, zone) if turn.at < asked]
    turns += (own := _turns(read.name, read.session, zone))
    if any(turn.at >= asked for turn in own):
        raise UnreadableCase(f"{where} is asked before the end of what was said.")
    conversation = _Session(at=read.asked - (len(read.before) + 1) * _APART, said=read.before) if read.before else None
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
            at=session.at.replace(tzinfo=zone) + place * _APART,
        )
        for number, session in enumerate(sessions, start=1)
        for place, (message, response) in enumerate(session.said)
    ]


def _parsed(path: Path) -> dict[str, object]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UnreadableCase(f"{path} cannot be read: {error}.") from None


def _valid(model: type[_Model], described: object, where: str) -> _Model:
    try:
        return model.model_validate(described)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise UnreadableCase(f"{where} is wrong at {'.'.join(map(str, first['loc']))}: {first['msg']}.") from None


def _named(verdict: Verdict) -> str:
    faults = [f"missing: {text}" for text in verdict.missing] + [f"unmarked: {text}" for text in verdict.unmarked]
    faults += [f"doubted: {text}" for text in verdict.doubted]
    faults += ["told something"] if verdict.case.nothing and not verdict.empty else []
    return "\n    ".join([f"{verdict.case.id}: {verdict.case.ask}", *faults])


def _line(name: str, verdicts: Sequence[Verdict]) -> str:
    figures = figures_of(verdicts)
    return (
        f"{name:15} evidence {figures.evidence:.2f}, empty of unrelated {figures.unrelated_empty:.2f}, "
        f"of others {figures.related_empty:.2f}, unmarked {figures.unmarked}, "
        f"told {figures.kept}, doubted {figures.doubted}"
    )


def main(arguments: Sequence[str]) -> None:
    """Ask the search alone, and print what fails and the figures."""
    names = set(arguments) - _FOLDERS.keys()
    folder = next((folder for option, folder in _FOLDERS.items() if option in arguments), CASES)
    cases = read_cases(folder)
    if unknown := names - {name for case in cases for name in (case.id, case.category)}:
        raise SystemExit(f"There is no case or category {', '.join(sorted(unknown))} in {folder.name}.")
    cases = [case for case in cases if not names or {case.id, case.category} & names]
    verdicts = [judged(case, searched(case)) for case in cases]
    for verdict in verdicts:
        if not verdict.passed:
            print(_named(verdict))
    for category in dict.fromkeys(case.category for case in cases):
        print(_line(category, [verdict for verdict in verdicts if verdict.case.category == category]))
    print(_line("all", verdicts))


if __name__ == "__main__":
    main(sys.argv[1:])
