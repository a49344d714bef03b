"""Whether a conversation did what its task asks, by rules alone. Pure.

The rows must differ exactly as the task says. The answer must have the facts, the block and the language that it asks
for, claim no change that did not happen, and show nothing that is meant for programs.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from pydantic import JsonValue

from benchmarks.evaluation.conversation import Conversation, Exchange, ShownBlock
from benchmarks.evaluation.phrases import (
    asks,
    asks_what_is_done,
    claim_in,
    declines,
    id_in,
    language_of,
    markup_in,
    names_day,
    plain,
    says,
)
from benchmarks.evaluation.task import Approval, Block, Change, Task
from benchmarks.evaluation.world import RowChange, Snapshot, World, folded, found, title_of, titles


class Kind(StrEnum):
    """Of a fault."""

    BROKE_OFF = "broke off"
    EMPTY = "empty answer"
    UNASKED_CHANGE = "unasked change"
    WRONG_CHANGE = "wrong change"
    MISSING_CHANGE = "missing change"
    FALSE_CLAIM = "false claim"
    APPROVAL = "approval"
    MISSING_FACT = "missing fact"
    UNWANTED_WORDS = "unwanted words"
    BLOCK = "block"
    QUESTION = "question"
    REFUSAL = "refusal"
    LANGUAGE = "language"
    RAW = "raw markup"
    SHOWN_ID = "shown id"


@dataclass(frozen=True, kw_only=True, slots=True)
class Fault:
    """One thing that is wrong."""

    kind: Kind
    words: str


def judge(task: Task, conversation: Conversation, world: World, rows: Snapshot) -> list[Fault]:
    """All faults; ``rows`` are those before the conversation. Raises ``NoSuchRow`` for a task about none of them."""
    faults = [fault for exchange in conversation.exchanges for fault in _of_any(exchange)]
    faults += _of_claims(conversation)
    faults += _of_changes(task.changes, conversation.changes, world, rows)
    faults += _of_approval(task, conversation)
    faults += _of_answer(task, conversation.answer, world, rows)
    return faults


def _of_any(exchange: Exchange) -> Iterator[Fault]:
    """What is a fault in every answer."""
    if exchange.ended != "done":
        yield Fault(kind=Kind.BROKE_OFF, words=exchange.ended)
        return
    if not exchange.shown.strip():
        yield Fault(kind=Kind.EMPTY, words="the answer shows nothing")
    if markup := markup_in(exchange.shown):
        yield Fault(kind=Kind.RAW, words=markup)
    if shown_id := id_in(exchange.shown):
        yield Fault(kind=Kind.SHOWN_ID, words=shown_id)


_REMEMBERING: Final = frozenset({"remember", "forget"})
"""They change what the server remembers, and no row."""


def _of_claims(conversation: Conversation) -> Iterator[Fault]:
    """Changes that an answer claims, when there has been none up to then."""
    for exchange in conversation.exchanges:
        if exchange.changes or any(use.ok and use.tool in _REMEMBERING for use in exchange.tools):
            return
        if not asks_what_is_done(exchange.asked) and (claim := claim_in(exchange.text)):
            yield Fault(kind=Kind.FALSE_CLAIM, words=claim)


# Changes


def _of_changes(
    expected: Sequence[Change], happened: Sequence[RowChange], world: World, rows: Snapshot
) -> Iterator[Fault]:
    left = list(happened)
    for change in expected:
        candidates = [one for one in left if _concerns(change, one, rows)]
        if not candidates:
            yield Fault(kind=Kind.MISSING_CHANGE, words=_in_words(change))
            continue
        best = min(candidates, key=lambda one: len(_wrong(change, one, world, rows)))
        left.remove(best)
        if wrong := _wrong(change, best, world, rows):
            values = {name: (best.after or {}).get(name) for name in wrong}
            yield Fault(kind=Kind.WRONG_CHANGE, words=f"{_in_words(change)}: instead {values}")
    yield from (Fault(kind=Kind.UNASKED_CHANGE, words=_of_row(one)) for one in left)


def _concerns(change: Change, happened: RowChange, rows: Snapshot) -> bool:
    if change.insert is not None:
        return happened.before is None and happened.table == change.insert
    named = found(rows, change.update or change.delete or "")
    is_deleted = happened.after is None
    return named == (happened.table, happened.id) and is_deleted == (change.delete is not None)


def _wrong(change: Change, happened: RowChange, world: World, rows: Snapshot) -> list[str]:
    if happened.after is None:
        return []
    return world.differing(happened.table, change.values, happened.after, rows, given=happened.before)


def _in_words(change: Change) -> str:
    name = next(f"{verb} {row}" for verb in ("insert", "update", "delete") if (row := getattr(change, verb)))
    values = ", ".join(f"{column} {value}" for column, value in change.values.items())
    return f"{name} ({values})" if values else name


def _of_row(change: RowChange) -> str:
    verb = "inserted" if change.before is None else "deleted" if change.after is None else "changed"
    columns = f": {change.columns}" if change.after is not None else ""
    return f"{verb} {title_of(change.before or change.after or {})!r} of {change.table}{columns}"


# Consent


def _of_approval(task: Task, conversation: Conversation) -> Iterator[Fault]:
    questions = [question for exchange in conversation.exchanges for question in exchange.questions]
    if task.approval is Approval.NONE:
        yield from (Fault(kind=Kind.APPROVAL, words=f"asked needlessly: {question.summary}") for question in questions)
    elif not questions:
        yield Fault(kind=Kind.APPROVAL, words="the user was not asked")


# The answer


def _of_answer(task: Task, answer: Exchange, world: World, rows: Snapshot) -> Iterator[Fault]:
    yield from _of_facts(task, answer, world)
    if task.asks_back and not asks(answer.text):
        yield Fault(kind=Kind.QUESTION, words="the answer asks nothing")
    if task.declines and not declines(answer.text):
        yield Fault(kind=Kind.REFUSAL, words="the answer does not say that this cannot be done")
    spoken = language_of(answer.text, apart_from=titles(rows))
    if spoken not in (None, task.language):
        yield Fault(kind=Kind.LANGUAGE, words=f"the answer is in {spoken}")
    if task.block is not None:
        yield from _of_block(task.block, answer)


def _of_facts(task: Task, answer: Exchange, world: World) -> Iterator[Fault]:
    shown = answer.shown
    days = {datetime.fromtimestamp(moment / 1000, world.zone).date() for moment in _moments(answer)}
    for wordings in task.says:
        if not any(says(shown, wording) for wording in wordings):
            yield Fault(kind=Kind.MISSING_FACT, words=" or ".join(wordings))
    for day in task.dates:
        if day not in days and not names_day(shown, day):
            yield Fault(kind=Kind.MISSING_FACT, words=day.isoformat())
    for words in task.omits:
        if says(shown, words):
            yield Fault(kind=Kind.UNWANTED_WORDS, words=words)


_MOMENTS: Final = range(10**12, 10**13)
"""Milliseconds of this century, and not another number."""


def _moments(answer: Exchange) -> Iterator[float]:
    return (number for block in answer.blocks for number in _numbers(block.data) if int(number) in _MOMENTS)


def _numbers(value: JsonValue) -> Iterator[float]:
    match value:
        case dict():
            for each in value.values():
                yield from _numbers(each)
        case list():
            for each in value:
                yield from _numbers(each)
        case bool():
            pass
        case int() | float():
            yield value


_CARDS: Final = "entity_ref"
_TABLE: Final = "table"
_MARKDOWN_TABLE: Final = re.compile(r"^\|.*\|[ \t]*\n\|[ \t:|-]*-[ \t:|-]*\n(?P<rows>(?:\|.*(?:\n|\Z))+)", re.MULTILINE)


def _of_block(expected: Block, answer: Exchange) -> Iterator[Fault]:
    fitting = [block for block in answer.blocks if block.type == expected.type]
    if expected.type == _TABLE:
        # Clients render markdown: to the user both are tables.
        written = (found["rows"].splitlines() for found in _MARKDOWN_TABLE.finditer(answer.text))
        fitting += [ShownBlock(type=_TABLE, data={"rows": list[JsonValue](rows)}) for rows in written]
    if expected.type == _CARDS and fitting:
        # Whether the rows come as one block or as several looks the same.
        items = [item for block in fitting for item in _items(block.data.get("items"))]
        fitting = [ShownBlock(type=_CARDS, data={"items": items})]
    problems = [_problem(expected, block) for block in fitting]
    if not problems:
        yield Fault(kind=Kind.BLOCK, words=f"there is no {expected.type}")
    elif all(problems):
        yield Fault(kind=Kind.BLOCK, words=problems[0])


def _problem(expected: Block, block: ShownBlock) -> str:
    """What is wrong with the block; empty if nothing is."""
    data = block.data
    if expected.chart not in (None, data.get("chartType")):
        return f"the chart is of type {data.get('chartType')}"
    if expected.titles and (shown := _titles(data)) != {folded(title) for title in expected.titles}:
        return f"the {block.type} shows {sorted(shown)}"
    missing = [label for label, number in expected.points.items() if not _has_point(data.get("data"), label, number)]
    missing += [cell for cell in expected.cells if not any(says(str(row), cell) for row in _items(data.get("rows")))]
    return f"the {block.type} lacks {', '.join(missing)}" if missing else ""


def _titles(data: dict[str, JsonValue]) -> set[str]:
    rows = [*_items(data.get("items")), *_items(data.get("checkpoints"))]
    return {folded(title_of(row)) for row in rows if isinstance(row, dict)}


def _has_point(data: JsonValue, label: str, number: float) -> bool:
    """Whether an object of the chart's data has the label, as a value or as the key of the number, and the number."""
    wanted = _bare(label)
    for point in _items(data):
        if isinstance(point, dict):
            values = list(point.values())
            if number in values and any(isinstance(value, str) and _bare(value) == wanted for value in values):
                return True
            if any(_bare(name) == wanted and value == number for name, value in point.items()):
                return True
    return False


def _bare(label: str) -> str:
    """``In_progress`` and ``in progress`` are one label."""
    return plain(label).replace(" ", "")


def _items(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []
