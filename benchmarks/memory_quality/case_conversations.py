"""The project's own cases as conversations that can be replayed on a real server. Pure.

Cases about dates are left out, because the days in texts cannot be shifted, nor can a server's clock be set. So are
cases that ask within a conversation.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from benchmarks.memory_quality.cases import Case, Verdict, judged
from benchmarks.memory_quality.conversations import Conversation, EvidenceQuestion
from benchmarks.memory_quality.replay import Answered

CORPUS: Final = "own cases"
_DATES: Final = "dates"


def conversations_of(cases: Iterable[Case], now: datetime) -> list[Conversation]:
    """Conversations with the questions of the cases, shortest first, shifted in time so that the latest question is at
    ``now``.

    Cases with the same exchanges are questions of one conversation. The ``kind`` of a question is the id of its case.
    """
    by_turns: defaultdict[Sequence[object], list[Case]] = defaultdict(list)
    for case in cases:
        if case.category != _DATES and not case.before:
            by_turns[tuple(case.turns)].append(case)
    return sorted((_conversation(each, now) for each in by_turns.values()), key=lambda each: len(each.turns))


def verdicts_of(cases: Iterable[Case], answered: Iterable[Answered]) -> list[Verdict]:
    """The verdict on each of the ``cases`` that was asked."""
    by_id = {case.id: case for case in cases}
    return [judged(by_id[each.asked.kind], each.items) for each in answered]


def _conversation(cases: Sequence[Case], now: datetime) -> Conversation:
    first = cases[0]
    shift = now - max(case.asked for case in cases)
    return Conversation(
        corpus=CORPUS,
        name=first.id,
        language=first.language,
        turns=[replace(turn, at=turn.at + shift) for turn in first.turns],
        questions=[EvidenceQuestion(text=case.ask, kind=case.id, evidence=case.evidence) for case in cases],
    )
