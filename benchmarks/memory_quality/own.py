"""The project's own cases as conversations that can be lived through on a real server. Pure.

Those about dates are left out: the days that people name cannot be moved, and a server's clock cannot be set. So are
those that are asked within a conversation.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from benchmarks.memory_quality.cases import Case, Verdict, judged
from benchmarks.memory_quality.conversations import Asked, Conversation
from benchmarks.memory_quality.living import Answered

CORPUS: Final = "own cases"
_DATES: Final = "dates"


def conversations_of(cases: Iterable[Case], now: datetime) -> list[Conversation]:
    """Conversations whose questions are the cases, the shortest first; what was said is moved so that it is asked now.

    Cases with the same exchanges are questions of one conversation, of ``kind`` their id.
    """
    together: defaultdict[Sequence[object], list[Case]] = defaultdict(list)
    for case in cases:
        if case.category != _DATES and not case.before:
            together[tuple(case.turns)].append(case)
    return sorted((_conversation(each, now) for each in together.values()), key=lambda each: len(each.turns))


def verdicts_of(cases: Iterable[Case], answered: Iterable[Answered]) -> list[Verdict]:
    """What was told for each of the cases that were asked."""
    by_id = {case.id: case for case in cases}
    return [judged(by_id[each.asked.kind], each.items) for each in answered]


def _conversation(cases: Sequence[Case], now: datetime) -> Conversation:
    first = cases[0]
    later = now - max(case.asked for case in cases)
    return Conversation(
        corpus=CORPUS,
        name=first.id,
        language=first.language,
        turns=[replace(turn, at=turn.at + later) for turn in first.turns],
        questions=[Asked(text=case.ask, kind=case.id, evidence=case.evidence) for case in cases],
    )
