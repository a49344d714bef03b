"""The rows that a conversation has shown before its last message, which can mean one of them with a word such as “it”.

They are read from the kept messages of earlier turns (``chat/turns/conversations.py``): the results of their tools, and
the cards that the user saw. Pure.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from agents.adapters.base import AssistantMessage, Message, ToolMessage, UserMessage
from agents.offline.commands import (
    TITLED,
    AddComment,
    ChangeRow,
    Command,
    CreateRow,
    CreateRows,
    DeleteRow,
    Incomplete,
    ListComments,
    ListRows,
    Missing,
    Place,
    RowKind,
    ShowRow,
    Target,
    WritePlan,
    WriteSummary,
)
from agents.scopes import NoteScope, ProjectScope, View
from agents.tools.page_details import Part
from agents.tools.pages import SECTION_TITLES
from agents.tools.rows import CARDS_SHOWN, ROW_IN_TEXT

_CHANGING: Final = ("create_", "update_", "add_")
_MAX_MESSAGES: Final = 4
"""The number of messages before the last that it can continue, as each can continue the one before it."""
_SECTION: Final = re.compile(r"^== (.+) ==$", re.MULTILINE)
_SECTIONS: Final = {
    SECTION_TITLES[part]: kind
    for part, kind in {
        Part.PROJECT: RowKind.PROJECT,
        Part.TASK: RowKind.TASK,
        Part.NOTE: RowKind.NOTE,
        Part.TASKS: RowKind.TASK,
        Part.NOTES: RowKind.NOTE,
        Part.MILESTONES: RowKind.CHECKPOINT,
        Part.PROJECTS: RowKind.PROJECT,
    }.items()
}


@dataclass(frozen=True, kw_only=True, slots=True)
class SeenRow:
    """A row that the user was shown."""

    entity: RowKind
    id: str
    title: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Earlier:
    """The user's ``messages`` before the last, and the ``lists`` of rows that each turn showed, the oldest first."""

    messages: tuple[str, ...] = ()
    lists: tuple[tuple[SeenRow, ...], ...] = ()

    @property
    def has_comment(self) -> bool:
        """Whether the latest rows include a comment, which “it” can mean."""
        return bool(self.lists) and any(row.entity is RowKind.COMMENT for row in self.lists[-1])

    def find(self, place: Place, entity: RowKind | None) -> SeenRow | None:
        """The row at ``place`` among its ``choices``; None if there is none, or if it is ambiguous."""
        rows = self.choices(place, entity)
        if place in {Place.IT, Place.OTHER}:
            return rows[0] if len(rows) == 1 else None
        if place is Place.LAST:
            return rows[-1] if rows else None
        return rows[place - 1] if place <= len(rows) else None

    def choices(self, place: Place, entity: RowKind | None) -> Sequence[SeenRow]:
        """The rows that ``place`` can mean, of the kind ``entity`` if it is given.

        For “it” these are the latest rows, otherwise those of the latest list with several rows. “The other one” is a
        row of that list that was not mentioned since.
        """
        kinds = (entity,) if entity else TITLED
        lists = [rows for each in self.lists if (rows := [row for row in each if row.entity in kinds])]
        if place is Place.IT:
            return lists[-1] if lists else ()
        several = next((at for at in reversed(range(len(lists))) if len(lists[at]) > 1), None)
        if several is None:
            return ()
        mentioned = {row.id for each in lists[several + 1 :] for row in each} if place is Place.OTHER else set()
        return [row for row in lists[several] if row.id not in mentioned]


def read_earlier(messages: Sequence[Message]) -> Earlier:
    """The rows in ``messages`` before the turn to answer, which begins after the last answer in words."""
    answers = [at for at, each in enumerate(messages) if isinstance(each, AssistantMessage) and not each.tool_calls]
    before = messages[: answers[-1] + 1] if answers else ()
    texts = [message.text for message in before if isinstance(message, UserMessage)]
    return Earlier(messages=tuple(texts[-_MAX_MESSAGES:]), lists=tuple(filter(None, map(_shown, _turns(before)))))


def beside(earlier: Earlier, view: View | None) -> Earlier:
    """``earlier`` with the row of the viewed page, as if it had been shown first."""
    match view.scope if view else None:
        case ProjectScope(entityId=row_id, entityName=title):
            row = SeenRow(entity=RowKind.PROJECT, id=row_id, title=title)
        case NoteScope(entityId=row_id, entityName=title):
            row = SeenRow(entity=RowKind.NOTE, id=row_id, title=title)
        case _:
            return earlier
    return replace(earlier, lists=((row,), *earlier.lists))


def _turns(messages: Sequence[Message]) -> Iterator[Sequence[Message]]:
    """The messages after each message of the user."""
    starts = [at for at, each in enumerate(messages) if isinstance(each, UserMessage)]
    for start, end in pairwise([*starts, len(messages)]):
        yield messages[start + 1 : end]


def _shown(turn: Sequence[Message]) -> tuple[SeenRow, ...]:
    """The rows that a turn changed, or else its cards, or else the rows of its tools that its answer names."""
    names = {call.id: call.name for each in turn if isinstance(each, AssistantMessage) for call in each.tool_calls}
    results = [
        (names.get(each.call_id, ""), each.ok, *each.text.partition(CARDS_SHOWN)[::2])
        for each in turn
        if isinstance(each, ToolMessage)
    ]
    rows = [(ok and name.startswith(_CHANGING), _rows(name, text)) for name, ok, text, _ in results]
    known = {row.id: row for _, returned in rows for row in returned}
    cards = [known[row_id] for *_, shown in results for _, row_id in _items(shown) if row_id in known]
    changed = [returned[0] for is_change, returned in rows if is_change and returned]
    # A comment is shown below its task.
    comments = tuple(row for row in changed if row.entity is RowKind.COMMENT)
    if changed and not comments:
        return tuple(changed)
    answer = "\n".join(each.text for each in turn if isinstance(each, AssistantMessage))
    return (*comments, *(cards or _named(known.values(), f"\n{answer}")))


def _named(rows: Iterable[SeenRow], answer: str) -> tuple[SeenRow, ...]:
    """The ``rows`` that ``answer`` names, in its order, which may differ from the device's."""

    def position(row: SeenRow) -> int:
        line = answer.find(f"\n- {row.title}")
        return line if line >= 0 else answer.find(row.title)

    return tuple(sorted((row for row in rows if row.title and row.title in answer), key=position))


def _rows(tool: str, text: str) -> list[SeenRow]:
    """The rows in a result of ``tool``, whose name contains their kind. The title of a page's section determines it."""
    if tool == "get_page_details":
        sections = _SECTION.split(text)[1:]
        pairs = zip(sections[::2], sections[1::2], strict=True)
        return [row for title, body in pairs if title in _SECTIONS for row in _rows_of(_SECTIONS[title], body)]
    entity = next((kind for kind in (RowKind.COMMENT, *RowKind) if kind in tool), None)
    return _rows_of(entity, text) if entity else []


def _rows_of(entity: RowKind, text: str) -> list[SeenRow]:
    return [SeenRow(entity=entity, id=row_id, title=title) for title, row_id in _items(text)]


def _items(text: str) -> Iterator[tuple[str, str]]:
    for found in ROW_IN_TEXT.finditer(text):
        yield json.loads(found[1]), found[3]


def with_row(command: Command, earlier: Earlier) -> Command:
    """``command`` with the row at its place in ``earlier``, or the question which row is meant if there is none."""
    match command:
        case DeleteRow(target=Target(place=Place.IT, entity=None)) if earlier.has_comment:
            return Incomplete(missing=Missing.WHICH, entity=None)
        case ChangeRow() | DeleteRow() | ShowRow() | ListComments() | AddComment() | WriteSummary() | WritePlan():
            target = _located(command.target, _fitting(command, earlier))
            return replace(command, target=target) if isinstance(target, Target) else target
        case Incomplete(missing=Missing.WHICH, entity=entity):
            return _which(Place.IT, entity, earlier)
        case _:
            return command


def _fitting(command: Command, earlier: Earlier) -> Earlier:
    """``earlier`` without the latest rows that have no date, if ``command`` changes a date."""
    if not isinstance(command, ChangeRow) or not (command.due or command.shift or command.at) or not earlier.lists:
        return earlier
    *before, latest = earlier.lists
    dated = tuple(row for row in latest if row.entity in {RowKind.TASK, RowKind.CHECKPOINT})
    return replace(earlier, lists=(*before, dated or latest))


def _which(place: Place, entity: RowKind | None, earlier: Earlier) -> Incomplete:
    """The question which of the shown rows is meant."""
    titles = dict.fromkeys(row.title for row in earlier.choices(place, entity))
    return Incomplete(missing=Missing.WHICH, entity=entity, choices=tuple(titles) if len(titles) > 1 else ())


def _located(target: Target, earlier: Earlier) -> Target | Incomplete:
    if target.parent is not None:
        parent = _located(target.parent, earlier)
        return replace(target, parent=parent) if isinstance(parent, Target) else parent
    if target.place is None:
        return target
    row = earlier.find(target.place, target.entity)
    if row is None:
        return _which(target.place, target.entity, earlier)
    return Target(name=row.title, literal=row.title, entity=row.entity, id=row.id)


def with_project(command: Command, earlier: Earlier, points: Callable[[str], bool]) -> Command:
    """``command`` with the project that was shown before, if its project is a word that ``points`` to it."""
    if isinstance(command, CreateRows):
        rows = [with_project(row, earlier, points) for row in command.rows]
        created = tuple(row for row in rows if isinstance(row, CreateRow))
        return CreateRows(rows=created) if len(created) == len(rows) else rows[0]
    named = command.details.project if isinstance(command, CreateRow) else None
    named = command.where.project if isinstance(command, ListRows) else named
    if named is None or not points(named):
        return command
    row = earlier.find(Place.IT, RowKind.PROJECT)
    match command:
        case CreateRow() if row:
            return replace(command, details=replace(command.details, project=row.title))
        case ListRows() if row:
            return replace(command, where=replace(command.where, project=row.title))
        case _:
            return _which(Place.IT, RowKind.PROJECT, earlier)
