"""The sidebar's own tools: reading the page in front of the user, and filing new things under it."""

from typing import Literal, TypeAlias
from zoneinfo import ZoneInfo

from agents.calls import Table
from agents.errors import ModelRetry
from agents.scopes import AnyScope, ListScope, viewed_project
from agents.tools import tables
from agents.tools.dates import to_ms
from agents.tools.notes import insert_note
from agents.tools.page_details import ROW_PAGES, Filters, PageType, read_page
from agents.tools.page_text import page_text
from agents.tools.rows import checkpoint_line
from agents.tools.spec.route import ABSENT, Route
from agents.tools.spec.tool import Agent, Risk, ToolSpec
from agents.tools.tasks import CreateTask
from memory.embedders.base import Embedder

EntityType: TypeAlias = Literal["project", "task", "note", "tasks_all", "projects_all", "timeline_all"]
EventType: TypeAlias = Literal["checkpoint", "milestone"]

_PROJECT = "The project it belongs to; null for none. On a project's page, that project when left out."
_LIST_PAGES = {"tasks": PageType.TASKS_ALL, "projects-list": PageType.PROJECTS_ALL, "timeline": PageType.TIMELINE_ALL}


class _PageTool(ToolSpec, abstract=True):
    agent = Agent.SIDEBAR

    timezone: ZoneInfo = Route.context(init=False)
    scope: AnyScope | None = Route.context(init=False)


class GetPageDetails(_PageTool):
    """Read everything that one page shows: a project, a task or a note by its id, or one of the whole lists."""

    risk = Risk.READ
    label = "Reading the page"

    entity_type: EntityType = Route.prompt(
        "project: with its tasks, notes, milestones and comments. task: with its project and comments. "
        "note: with its text. tasks_all, projects_all, timeline_all: the whole lists, with the page's own filters "
        "while the user looks at that list."
    )
    entity_id: str | None = Route.prompt("The id of the project, task or note.", default=None)

    async def execute(self) -> str:
        page_type = PageType(self.entity_type)
        if page_type in ROW_PAGES and not self.entity_id:
            raise ModelRetry(f"Give the entity_id of the {page_type}.")
        entity_id = self.entity_id if page_type in ROW_PAGES else None
        page = await read_page(page_type, entity_id, filters=_filters(self.scope, page_type))
        if page is None:
            raise ModelRetry(f"There is no {page_type} with the id {self.entity_id}. Look the right id up first.")
        return page_text(page, self.timezone)


class CreatePageTask(CreateTask, known_as="create_task"):
    """Create a task."""

    agent = Agent.SIDEBAR

    scope: AnyScope | None = Route.context(init=False)
    project_id: str | None = Route.prompt(_PROJECT, default=ABSENT)

    async def execute(self) -> str:
        self.project_id = _project(self)
        return await super().execute()


class CreatePageNote(_PageTool, known_as="create_note"):
    """Create a note."""

    risk = Risk.WRITE
    label = "Writing a note"
    changes = Table.NOTES

    title: str = Route.prompt("The note's title.")
    body: str | None = Route.prompt("The note's text, in markdown; the title when left out.", default=None)
    project_id: str | None = Route.prompt(_PROJECT, default=ABSENT)
    embedder: Embedder = Route.context(init=False)

    async def execute(self) -> str:
        return await insert_note(
            title=self.title,
            content=self.body or self.title,
            project_id=_project(self),
            timezone=self.timezone,
            embedder=self.embedder,
        )


class CreateTimelineEvent(_PageTool):
    """Create a dated event of a project: a checkpoint, or a milestone."""

    risk = Risk.WRITE
    label = "Creating an event"
    changes = Table.CHECKPOINTS

    type: EventType = Route.prompt("What the user calls it; both are kept as checkpoints.")
    title: str = Route.prompt("What is reached then.")
    due_at: str = Route.prompt("Its date in the user's time zone, as 2026-11-24 or 2026-11-24T18:00.")
    project_id: str | None = Route.prompt(
        "The project it belongs to, which it must have. On a project's page, that project when left out.",
        default=ABSENT,
    )

    async def execute(self) -> str:
        project_id = _project(self)
        if not project_id:
            raise ModelRetry(
                f"A {self.type} belongs to a project, so a project is needed: ask the user which, unless they said it."
            )
        row = await tables.insert(
            Table.CHECKPOINTS,
            projectId=project_id,
            title=self.title,
            date=to_ms(self.due_at, self.timezone),
            isAiSuggested=0,
            isApproved=1,
        )
        return f"Created the {self.type} {checkpoint_line(row, self.timezone)}."


def _project(tool: CreatePageTask | CreatePageNote | CreateTimelineEvent) -> str | None:
    """Where a new thing goes: where the caller says, else to the project whose page is in front of the user."""
    if "project_id" in tool.given("project_id"):
        return tool.project_id or None
    return viewed_project(tool.scope)


def _filters(scope: AnyScope | None, page_type: PageType) -> Filters:
    """The filters of the page in front of the user, when that very page is asked for."""
    if isinstance(scope, ListScope) and _LIST_PAGES.get(scope.page) is page_type:
        return scope.filters
    return None
