"""What a conversation has shown before its last message: rows by which that message may name one, such as “it”.

They are read from what is kept of earlier turns (``chat/turns/conversations.py``): the results of their tools and the
cards that the person saw. Pure.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from agents.adapters.base import AssistantMessage, Message, ToolMessage, UserMessage
from agents.offline.commands import (
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
_REMEMBERED: Final = 4
"""How many messages before the last may be leaned on, each on the one before."""
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
    """A row that the person was shown."""

    entity: RowKind
    id: str
    title: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Earlier:
    """``messages`` are the person's before the last, ``lists`` the rows that each turn showed, both oldest first."""

    messages: tuple[str, ...] = ()
    lists: tuple[tuple[SeenRow, ...], ...] = ()

    @property
    def has_comment(self) -> bool:
        """Whether the latest rows include a comment, which “it” may mean."""
        return bool(self.lists) and any(row.entity is RowKind.COMMENT for row in self.lists[-1])

    def find(self, place: Place, entity: RowKind | None) -> SeenRow | None:
        """The row at ``place`` among the latest rows, those of the kind ``entity`` if it is given."""
        rows = self.choices(place, entity)
        if place in {Place.IT, Place.OTHER}:
            return rows[0] if len(rows) == 1 else None
        if place is Place.LAST:
            return rows[-1] if rows else None
        return rows[place - 1] if place <= len(rows) else None

    def choices(self, place: Place, entity: RowKind | None) -> Sequence[SeenRow]:
        """The rows among which ``place`` is: the latest for “it”, those not mentioned since for “the other one”."""
        kinds = (entity,) if entity else tuple(kind for kind in RowKind if kind is not RowKind.COMMENT)
        lists = [rows for each in self.lists if (rows := [row for row in each if row.entity in kinds])]
        if place is Place.IT:
            return lists[-1] if lists else ()
        several = next((at for at in reversed(range(len(lists))) if len(lists[at]) > 1), None)
        if several is None:
            return ()
        mentioned = {row.id for each in lists[several + 1 :] for row in each} if place is Place.OTHER else set()
        return [row for row in lists[several] if row.id not in mentioned]


def read_earlier(messages: Sequence[Message]) -> Earlier:
    """What ``messages`` show before the turn that is to be answered, which begins after the last answer in words."""
    answers = [at for at, each in enumerate(messages) if isinstance(each, AssistantMessage) and not each.tool_calls]
    before = messages[: answers[-1] + 1] if answers else ()
    asked = [message.text for message in before if isinstance(message, UserMessage)]
    return Earlier(messages=tuple(asked[-_REMEMBERED:]), lists=tuple(filter(None, map(_shown, _turns(before)))))


def beside(earlier: Earlier, view: View | None) -> Earlier:
    """``earlier`` with the row whose page is open, as if it had been shown first."""
    match view.scope if view else None:
        case ProjectScope(entityId=row_id, entityName=title):
            row = SeenRow(entity=RowKind.PROJECT, id=row_id, title=title)
        case NoteScope(entityId=row_id, entityName=title):
            row = SeenRow(entity=RowKind.NOTE, id=row_id, title=title)
        case _:
            return earlier
    return replace(earlier, lists=((row,), *earlier.lists))


def _turns(messages: Sequence[Message]) -> Iterator[Sequence[Message]]:
    """The messages after each of the person's."""
    starts = [at for at, each in enumerate(messages) if isinstance(each, UserMessage)]
    for start, end in pairwise([*starts, len(messages)]):
        yield messages[start + 1 : end]


def _shown(turn: Sequence[Message]) -> tuple[SeenRow, ...]:
    """The rows that a turn changed, else its cards, else those that its tools told and its answer names."""
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
    # A comment is shown below its task.
    commented = tuple(row for row in changed if row.entity is RowKind.COMMENT)
    if changed and not commented:
        return tuple(changed)
    answer = "\n".join(each.text for each in turn if isinstance(each, AssistantMessage))
    return (*commented, *(cards or _named(known.values(), f"\n{answer}")))


def _named(rows: Iterable[SeenRow], answer: str) -> tuple[SeenRow, ...]:
    """Those of ``rows`` that ``answer`` names, in its order: it lists them by date, and tools as the device does."""

    def position(row: SeenRow) -> int:
        line = answer.find(f"\n- {row.title}")
        return line if line >= 0 else answer.find(row.title)

    return tuple(sorted((row for row in rows if row.title and row.title in answer), key=position))


def _rows(tool: str, text: str) -> list[SeenRow]:
    """The rows that ``tool`` told, one at the end of each line; their kind is in its name, or heads a section."""
    if tool == "get_page_details":
        sections = _SECTION.split(text)[1:]
        pairs = zip(sections[::2], sections[1::2], strict=True)
        return [row for title, body in pairs if title in _SECTIONS for row in _told(_SECTIONS[title], body)]
    entity = next((kind for kind in (RowKind.COMMENT, *RowKind) if kind in tool), None)
    return _told(entity, text) if entity else []


def _told(entity: RowKind, text: str) -> list[SeenRow]:
    return [SeenRow(entity=entity, id=row_id, title=title) for title, row_id in _items(text)]


def _items(text: str) -> Iterator[tuple[str, str]]:
    for found in ROW_IN_TEXT.finditer(text):
        yield json.loads(found[1]), found[3]


def with_row(command: Command, earlier: Earlier) -> Command:
    """``command`` about the row at its place in ``earlier``; where there is none, the question which is meant."""
    match command:
        case DeleteRow(target=Target(place=Place.IT, entity=None)) if earlier.has_comment:
            return Incomplete(missing=Missing.WHICH, entity=None)
        case ChangeRow() | DeleteRow() | ShowRow() | ListComments() | AddComment() | WriteSummary() | WritePlan():
            target = _found(command.target, _fitting(command, earlier))
            return replace(command, target=target) if isinstance(target, Target) else target
        case Incomplete(missing=Missing.WHICH, entity=entity):
            return _which(Place.IT, entity, earlier)
        case _:
            return command


def _fitting(command: Command, earlier: Earlier) -> Earlier:
    """``earlier`` without those of its latest rows that do not have the date that ``command`` changes."""
    if not isinstance(command, ChangeRow) or not (command.due or command.shift or command.at) or not earlier.lists:
        return earlier
    *before, latest = earlier.lists
    dated = tuple(row for row in latest if row.entity in {RowKind.TASK, RowKind.CHECKPOINT})
    return replace(earlier, lists=(*before, dated or latest))


def _which(place: Place, entity: RowKind | None, earlier: Earlier) -> Incomplete:
    """The question which of the rows shown is meant."""
    titles = dict.fromkeys(row.title for row in earlier.choices(place, entity))
    return Incomplete(missing=Missing.WHICH, entity=entity, choices=tuple(titles) if len(titles) > 1 else ())


def _found(target: Target, earlier: Earlier) -> Target | Incomplete:
    if target.parent is not None:
        parent = _found(target.parent, earlier)
        return replace(target, parent=parent) if isinstance(parent, Target) else parent
    if target.place is None:
        return target
    row = earlier.find(target.place, target.entity)
    if row is None:
        return _which(target.place, target.entity, earlier)
    return Target(name=row.title, literal=row.title, entity=row.entity, id=row.id)


def with_project(command: Command, earlier: Earlier, points: Callable[[str], bool]) -> Command:
    """``command`` in the project that was shown before, where its project is a word that ``points`` to it."""
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
