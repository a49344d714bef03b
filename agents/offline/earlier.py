"""What a conversation has shown before its last message: rows by which that message may name one, such as “it”.

They are read from what is kept of earlier turns (``chat/turns/conversations.py``): the results of their tools and the
cards that the person saw. Pure.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from agents.adapters.base import AssistantMessage, Message, ToolMessage, UserMessage
from agents.offline.commands import (
    AddComment,
    ChangeRow,
    Command,
    DeleteRow,
    Incomplete,
    ListComments,
    Missing,
    Place,
    RowKind,
    ShowRow,
    Target,
    WritePlan,
    WriteSummary,
)
from agents.offline.rows import ITEM
from agents.tools.rows import CARDS_SHOWN

_CHANGING: Final = ("create_", "update_", "add_")


@dataclass(frozen=True, kw_only=True, slots=True)
class SeenRow:
    """A row that the person was shown."""

    entity: RowKind
    id: str
    title: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Earlier:
    """``message`` is the person's one before the last. ``lists`` are the rows that each turn showed, oldest first."""

    message: str = ""
    lists: tuple[tuple[SeenRow, ...], ...] = ()

    def find(self, place: Place, entity: RowKind | None) -> SeenRow | None:
        """The row at ``place`` among the latest rows, those of the kind ``entity`` if it is given."""
        kinds = (entity,) if entity else tuple(RowKind)
        lists = [rows for each in self.lists if (rows := [row for row in each if row.entity in kinds])]
        if not lists:
            return None
        if place is Place.IT:
            return lists[-1][0] if len(lists[-1]) == 1 else None
        several = next((at for at in reversed(range(len(lists))) if len(lists[at]) > 1), None)
        if several is None:
            return None
        rows = lists[several]
        if place is Place.OTHER:
            spoken_of = {row.id for each in lists[several + 1 :] for row in each}
            left = [row for row in rows if row.id not in spoken_of]
            return left[0] if len(left) == 1 else None
        if place is Place.LAST:
            return rows[-1]
        return rows[place - 1] if place <= len(rows) else None


def read_earlier(messages: Sequence[Message]) -> Earlier:
    """What ``messages`` show before the turn that is to be answered, which begins after the last answer in words."""
    answers = [at for at, each in enumerate(messages) if isinstance(each, AssistantMessage) and not each.tool_calls]
    before = messages[: answers[-1] + 1] if answers else ()
    asked = [message.text for message in before if isinstance(message, UserMessage)]
    return Earlier(message=asked[-1] if asked else "", lists=tuple(filter(None, map(_shown, _turns(before)))))


def _turns(messages: Sequence[Message]) -> Iterator[Sequence[Message]]:
    """The messages after each of the person's."""
    starts = [at for at, each in enumerate(messages) if isinstance(each, UserMessage)]
    for start, end in pairwise([*starts, len(messages)]):
        yield messages[start + 1 : end]


def _shown(turn: Sequence[Message]) -> tuple[SeenRow, ...]:
    """The rows that a turn changed, else its cards, else those that its last tools told and its answer names."""
    names = {call.id: call.name for each in turn if isinstance(each, AssistantMessage) for call in each.tool_calls}
    told = [
        (names.get(each.call_id, ""), each.ok, *each.text.partition(CARDS_SHOWN)[::2])
        for each in turn
        if isinstance(each, ToolMessage)
    ]
    rows = [(ok and name.startswith(_CHANGING), _rows(name, text)) for name, ok, text, _ in told]
    known = {row.id: row for _, found in rows for row in found}
    cards = [known[row_id] for *_, shown in told for _, row_id in _items(shown) if row_id in known]
    changed = [found[0] for is_change, found in rows if is_change and found]
    if changed:
        return tuple(changed)
    # Of a change of one row, its look-ups tell others as well.
    last = next((found for _, found in reversed(rows) if found), ())
    answer = "\n".join(each.text for each in turn if isinstance(each, AssistantMessage))
    return tuple(cards) or tuple(row for row in last if row.title in answer)


def _rows(tool: str, text: str) -> list[SeenRow]:
    """The rows that ``tool`` told: one at the end of each line, whose kind is in the tool's name."""
    entity = next((kind for kind in (RowKind.COMMENT, *RowKind) if kind in tool), None)
    if entity is None:
        return []
    return [SeenRow(entity=entity, id=row_id, title=title) for title, row_id in _items(text)]


def _items(text: str) -> Iterator[tuple[str, str]]:
    for found in ITEM.finditer(text):
        yield json.loads(found[1]), found[3]


def with_row(command: Command, earlier: Earlier) -> Command:
    """``command`` about the row at its place in ``earlier``; where there is none, the question which is meant."""
    match command:
        case ChangeRow() | DeleteRow() | ShowRow() | ListComments() | AddComment() | WriteSummary() | WritePlan():
            target = _found(command.target, earlier)
            return replace(command, target=target) if isinstance(target, Target) else target
        case _:
            return command


def _found(target: Target, earlier: Earlier) -> Target | Incomplete:
    if target.parent is not None:
        parent = _found(target.parent, earlier)
        return replace(target, parent=parent) if isinstance(parent, Target) else parent
    if target.place is None:
        return target
    row = earlier.find(target.place, target.entity)
    if row is None:
        return Incomplete(missing=Missing.WHICH, entity=target.entity)
    return Target(name=row.title, literal=row.title, entity=row.entity, id=row.id)
