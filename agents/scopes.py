"""The page or popup in front of the user, as the client describes it (protocol: scopes)."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Final, Literal, TypeAlias

from pydantic import Field, JsonValue

from agents.calls import Row, Table


class PopupScopeType(StrEnum):
    """What a popup was opened on."""

    TASK = "task"
    TASKS = "tasks"
    PROJECT = "project"
    PROJECTS = "projects"
    CHECKPOINT = "checkpoint"
    CHECKPOINTS = "checkpoints"
    TIMELINE = "timeline"
    NOTE = "note"
    NOTES = "notes"


@dataclass(frozen=True, kw_only=True, slots=True)
class PopupScope:
    """The thing or the list a popup was opened on; ``id`` names the one thing."""

    type: PopupScopeType
    id: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ListScope:
    """A page that lists things; ``filters`` are the page's own."""

    page: Literal["timeline", "tasks", "projects-list", "notes-list"]
    entityType: None = None  # noqa: N815 - the wire's name
    filters: dict[str, JsonValue] | None = None


def texts_in(filters: JsonValue) -> Iterator[str]:
    """All texts in a page's filters, including names, at any depth. A text can contain one or several project ids."""
    if isinstance(filters, str):
        yield filters
    elif isinstance(filters, dict):
        yield from (text for name, each in filters.items() for text in (name, *texts_in(each)))
    elif isinstance(filters, list):
        yield from (text for each in filters for text in texts_in(each))


@dataclass(frozen=True, kw_only=True, slots=True)
class ProjectCounts:
    """How much a project holds."""

    tasks: Annotated[int, Field(ge=0)]
    notes: Annotated[int, Field(ge=0)]
    milestones: Annotated[int, Field(ge=0)]


@dataclass(frozen=True, kw_only=True, slots=True)
class ProjectScope:
    """The page of one project."""

    page: Literal["project"]
    entityType: Literal["project"]  # noqa: N815
    entityId: Annotated[str, Field(min_length=1)]  # noqa: N815
    entityName: str  # noqa: N815
    counts: ProjectCounts


@dataclass(frozen=True, kw_only=True, slots=True)
class NoteScope:
    """The page of one note; ``charCount`` is the length of its text."""

    page: Literal["note"]
    entityType: Literal["note"]  # noqa: N815
    entityId: Annotated[str, Field(min_length=1)]  # noqa: N815
    entityName: str  # noqa: N815
    projectId: str | None  # noqa: N815
    charCount: Annotated[int, Field(ge=0)]  # noqa: N815


@dataclass(frozen=True, kw_only=True, slots=True)
class View:
    """The page beside the sidebar. ``scope`` is None for a page that the user never shares.

    ``words`` describe the page to a model. ``notes`` are the rows of the notes in ``words``, if the page lists notes.
    ``is_foreign`` is whether any row in ``words`` is foreign.
    """

    scope: "ListScope | ProjectScope | NoteScope | None"
    words: str
    notes: tuple[Row, ...] = ()
    is_foreign: bool = False


PageScope: TypeAlias = Annotated[ListScope | ProjectScope | NoteScope, Field(discriminator="page")]
AnyScope: TypeAlias = PopupScope | ListScope | ProjectScope | NoteScope


_POPUP_TABLES: Final = {
    PopupScopeType.TASK: Table.TASKS,
    PopupScopeType.PROJECT: Table.PROJECTS,
    PopupScopeType.CHECKPOINT: Table.CHECKPOINTS,
    PopupScopeType.NOTE: Table.NOTES,
}


def viewed_row(scope: AnyScope | None) -> tuple[Table, str] | None:
    """The table and the id of the row that the user views; None if it is a list."""
    match scope:
        case ProjectScope():
            return Table.PROJECTS, scope.entityId
        case NoteScope():
            return Table.NOTES, scope.entityId
        case PopupScope(type=kind, id=str(row_id)) if kind in _POPUP_TABLES:
            return _POPUP_TABLES[kind], row_id
        case _:
            return None


def viewed_project(scope: AnyScope | None) -> str | None:
    """The id of the project whose page the user views."""
    return scope.entityId if isinstance(scope, ProjectScope) else None
