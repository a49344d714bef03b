"""The commands that the offline assistant understands."""

from dataclasses import dataclass, field
from datetime import date, time
from enum import IntEnum, StrEnum
from typing import Final, TypeAlias

from agents.offline.dates import When


class RowKind(StrEnum):
    """The kinds of rows. The values are their names in ``entity_ref`` blocks."""

    TASK = "task"
    PROJECT = "project"
    CHECKPOINT = "checkpoint"
    NOTE = "note"
    COMMENT = "comment"


TITLED: Final = (RowKind.TASK, RowKind.PROJECT, RowKind.CHECKPOINT, RowKind.NOTE)
"""The kinds of rows that have a title."""


class Status(StrEnum):
    """The state of a task."""

    TODO = "todo"
    IN_PROGRESS = "in_progress"
    DONE = "done"


OPEN: Final = frozenset({Status.TODO, Status.IN_PROGRESS})


class Priority(StrEnum):
    """The priority of a task, most urgent first."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class Shape(StrEnum):
    """How rows are shown."""

    CARDS = "cards"
    TABLE = "table"
    CHART = "chart"
    TIMELINE = "timeline"


class Grouping(StrEnum):
    """The property by which counted rows are grouped."""

    STATUS = "status"
    PRIORITY = "priority"
    PROJECT = "project"
    PERSON = "person"


class Field(StrEnum):
    """The columns that a command can clear."""

    DUE = "due_date"
    ASSIGNEES = "assignees"
    PROJECT = "project_id"


class Missing(StrEnum):
    """The missing part of an incomplete command."""

    TITLE = "title"
    PROJECT = "project"
    DATE = "date"
    CONTENT = "content"
    GOAL = "goal"
    WHICH = "which"
    KIND = "kind"


class Place(IntEnum):
    """The position of a row among the rows that the user was shown before, in place of its name."""

    OTHER = -2
    """The only one that was not mentioned since."""
    LAST = -1
    IT = 0
    """The only one of the latest rows."""
    FIRST = 1
    SECOND = 2
    THIRD = 3
    FOURTH = 4
    FIFTH = 5


@dataclass(frozen=True, kw_only=True, slots=True)
class Target:
    """The row that a command names: ``name`` without article and noun, ``literal`` as written.

    ``entity`` is None if the words do not name the kind. ``project`` narrows the search, and ``parent`` is the task of
    a comment. With a ``place``, it is a row that was shown before. Such a row has an ``id`` once it was found there.
    """

    name: str
    literal: str
    entity: RowKind | None = None
    project: str | None = None
    parent: "Target | None" = None
    place: Place | None = None
    id: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Filter:
    """The rows to show. ``about`` is the name of a project or a person, or a word in titles.

    ``made`` are the days on which the rows were created.
    """

    statuses: frozenset[Status] | None = None
    priority: Priority | None = None
    due: When | None = None
    made: When | None = None
    overdue: bool = False
    undated: bool = False
    unassigned: bool = False
    unfiled: bool = False
    """Only rows without a project."""
    filed: bool = False
    """Only rows with a project."""
    project: str | None = None
    assignee: str | None = None
    words: str | None = None
    about: str | None = None
    archived: bool = False
    everything: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class ListRows:
    """Show or count rows. ``chart_type`` is the name in chart blocks. ``latest``: show only this many, the newest."""

    entity: RowKind
    where: Filter = field(default_factory=Filter)
    shape: Shape = Shape.CARDS
    chart_type: str = "bar"
    grouping: Grouping | None = None
    latest: int | None = None
    ordered: bool = False
    """The user requested an order: by date, or by priority if it is ``ranked``."""
    ranked: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class ShowRow:
    """Show one row with its details, or the text of a note."""

    target: Target


@dataclass(frozen=True, kw_only=True, slots=True)
class ListComments:
    """Show the comments of a task."""

    target: Target


@dataclass(frozen=True, kw_only=True, slots=True)
class FindNotes:
    """Search notes by meaning."""

    query: str
    project: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Details:
    """The details of a new row."""

    priority: Priority | None = None
    due: When | None = None
    assignees: tuple[str, ...] = ()
    project: str | None = None
    content: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class CreateRow:
    """Create a row."""

    entity: RowKind
    title: str
    details: Details = field(default_factory=Details)


@dataclass(frozen=True, kw_only=True, slots=True)
class CreateRows:
    """Create several rows."""

    rows: tuple[CreateRow, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class AddComment:
    """Comment on a task. ``author`` is None for the user."""

    target: Target
    content: str
    author: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ChangeRow:
    """Change the given columns of one row. ``content`` is a task's description or a note's text.

    ``shift`` is the number of days by which the row's date is moved, and ``at`` the new time of day on that date.
    ``unassigned`` are the people to remove from a task. ``reopens``: the status is only for a task that is done.
    ``addition`` is appended to a note's text.
    """

    target: Target
    title: str | None = None
    status: Status | None = None
    priority: Priority | None = None
    due: When | None = None
    shift: int = 0
    at: time | None = None
    assignees: tuple[str, ...] = ()
    unassigned: tuple[str, ...] = ()
    project: str | None = None
    archived: bool | None = None
    content: str | None = None
    addition: str | None = None
    clears: Field | None = None
    reopens: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class DeleteRow:
    """Delete one row."""

    target: Target


@dataclass(frozen=True, kw_only=True, slots=True)
class StoreMemory:
    """Remember a sentence. ``key`` names its subject."""

    key: str
    value: str


@dataclass(frozen=True, kw_only=True, slots=True)
class RecallMemory:
    """Show the memories about ``query``; all if it is empty."""

    query: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class ForgetMemory:
    """Forget one memory."""

    name: str


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchConversations:
    """Search earlier conversations, between the days ``since`` and ``until`` if they are given."""

    query: str = ""
    since: date | None = None
    until: date | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class WriteSummary:
    """Have a summary of a project written."""

    target: Target


@dataclass(frozen=True, kw_only=True, slots=True)
class WritePlan:
    """Have a plan suggested by which a project reaches ``goal``."""

    target: Target
    goal: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Incomplete:
    """A command with a ``missing`` part. ``entity`` is the kind of its row, if known.

    ``title`` and ``details`` are the known parts of a new row that lacks a title or a kind. ``choices`` are the titles
    of the rows that can be meant.
    """

    missing: Missing
    entity: RowKind | None
    title: str = ""
    details: Details = field(default_factory=Details)
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class UndoChanges:
    """Undo the changes of the conversation's latest request, or of the whole day."""

    all_day: bool = False


class Wish(StrEnum):
    """Commands without arguments: what to work on, the page in front of the user, the review of their week."""

    WHAT_NEXT = "what_next"
    SHOW_PAGE = "show_page"
    WRITE_REVIEW = "write_review"


class Talk(StrEnum):
    """Messages that are answered without tools."""

    GREETING = "greeting"
    HELP = "help"
    THANKS = "thanks"
    DECLINED = "declined"
    ONE_AT_A_TIME = "one_at_a_time"
    ONE_OR_SEVERAL = "one_or_several"
    NO_SUCH_DATE = "no_such_date"
    NO_NAME = "no_name"
    NOT_UNDERSTOOD = "not_understood"


Command: TypeAlias = (
    ListRows
    | ShowRow
    | ListComments
    | FindNotes
    | CreateRow
    | CreateRows
    | AddComment
    | ChangeRow
    | DeleteRow
    | StoreMemory
    | RecallMemory
    | ForgetMemory
    | SearchConversations
    | WriteSummary
    | WritePlan
    | UndoChanges
    | Incomplete
    | Wish
    | Talk
)
