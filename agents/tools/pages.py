"""The sidebar's own tools: reading the page that the user is viewing, section by section, and adding to it."""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Final, Literal, TypeAlias
from zoneinfo import ZoneInfo

from pydantic import JsonValue

from agents.calls import Row, Rows, Table
from agents.errors import ModelRetry
from agents.scopes import AnyScope, ListScope, viewed_project
from agents.tools import client
from agents.tools.arguments import AS_SAID
from agents.tools.client import RowTool, lines_of
from agents.tools.notes import NoteTool
from agents.tools.page_details import ROW_PAGES, TABLES, Page, PageType, Part, read_page
from agents.tools.routes import ABSENT, Route
from agents.tools.rows import (
    Line,
    LineContext,
    ToolResult,
    checkpoint_line,
    comment_line,
    date_in,
    in_project,
    in_sections,
    item,
    listed,
    note_line,
    project_line,
    task_line,
    tell_row,
    text,
)
from agents.tools.spec import Agent, MadeUp, Risk, ToolSpec, is_placeholder_name
from agents.tools.tasks import CreateTask
from memory.index import Embedder

EntityType: TypeAlias = Literal["project", "task", "note", "tasks_all", "projects_all", "timeline_all"]
EventType: TypeAlias = Literal["checkpoint", "milestone"]

_PROJECT = "Empty: none. Left out: the project whose page is open."
_LIST_PAGES = {"tasks": PageType.TASKS_ALL, "projects-list": PageType.PROJECTS_ALL, "timeline": PageType.TIMELINE_ALL}


class GetPageDetails(ToolSpec):
    """Read everything that one page shows: a project, a task or a note by its id, or one of the whole lists."""

    agent = Agent.SIDEBAR
    risk = Risk.READ
    label = "Reading the page"

    entity_type: EntityType = Route.prompt(
        "project: with its tasks, notes, milestones and comments. task: with its project and comments. "
        "note: with its text. tasks_all, projects_all, timeline_all: the whole lists, with the page's own filters "
        "while the user looks at that list."
    )
    entity_id: str | None = Route.prompt("The id of the project, task or note.", default=None)
    timezone: ZoneInfo = Route.context(init=False)
    now: Callable[[], datetime] = Route.context(init=False)
    scope: AnyScope | None = Route.context(init=False)

    def naming(self) -> Mapping[str, Table]:
        page_type = PageType(self.entity_type)
        return {"entity_id": TABLES[page_type]} if page_type in ROW_PAGES else {}

    async def name_rows(
        self,
        row_id: Callable[[Table, str], Awaitable[str]],
        *,
        is_made_up: MadeUp = is_placeholder_name,
    ) -> None:
        """As ``ToolSpec.name_rows``, but corrects the kind of row, which small models confuse, by the id."""
        try:
            await super().name_rows(row_id, is_made_up=is_made_up)
        except ModelRetry:
            said = self.entity_id or ""
            for page_type in ROW_PAGES if said and " " not in said else ():
                with suppress(ModelRetry):
                    found = await row_id(TABLES[page_type], said)
                    self._take(self.arguments_model(entity_type=page_type.value, entity_id=found))
                    return
            raise

    @property
    def is_bounded(self) -> bool:
        return self._shows_list(PageType(self.entity_type))

    async def execute(self) -> ToolResult:
        page_type = PageType(self.entity_type)
        if page_type in ROW_PAGES and not self.entity_id:
            raise ModelRetry(f"Give the entity_id of the {page_type}.")
        entity_id = self.entity_id if page_type in ROW_PAGES else None
        filters = self.scope.filters if isinstance(self.scope, ListScope) and self._shows_list(page_type) else None
        page = await read_page(page_type, entity_id, filters=filters)
        if page is None:
            raise ModelRetry(f"There is no {page_type} with the id {self.entity_id}. Look the right id up first.")
        return page_text(page, await lines_of(page.every_row, self.now(), self.timezone))

    def _shows_list(self, page_type: PageType) -> bool:
        return isinstance(self.scope, ListScope) and _LIST_PAGES.get(self.scope.page) is page_type


class CreatePageTask(CreateTask, known_as="create_task"):
    """Create a task."""

    agent = Agent.SIDEBAR

    scope: AnyScope | None = Route.context(init=False)
    project_id: str | None = Route.prompt(_PROJECT, default=ABSENT, names=Table.PROJECTS)

    @property
    def lasting_arguments(self) -> Mapping[str, JsonValue]:
        return {**self.arguments, "project_id": _project(self)}

    async def execute(self) -> ToolResult:
        self.project_id = _project(self)
        return await super().execute()


class CreatePageNote(NoteTool, known_as="create_note"):
    """Create a note."""

    agent = Agent.SIDEBAR
    risk = Risk.WRITE
    label = "Writing a note"

    title: str = Route.prompt()
    body: str | None = Route.prompt("Markdown; the title when left out.", default=None)
    project_id: str | None = Route.prompt(_PROJECT, default=ABSENT, names=Table.PROJECTS)
    scope: AnyScope | None = Route.context(init=False)
    embedder: Embedder = Route.context(init=False)

    @property
    def lasting_arguments(self) -> Mapping[str, JsonValue]:
        return {"title": self.title, "content": self.body or self.title, "project_id": _project(self)}

    async def execute(self) -> ToolResult:
        return await self.insert_note(self.title, self.body or self.title, _project(self), self.embedder)


class CreateTimelineEvent(RowTool):
    """Create a dated event of a project: a checkpoint, or a milestone."""

    agent = Agent.SIDEBAR
    risk = Risk.WRITE
    label = "Creating an event"
    changes = Table.CHECKPOINTS

    type: EventType = Route.prompt("What the user calls it; both are kept as checkpoints.")
    title: str = Route.prompt("What is reached then.")
    due_at: str = Route.prompt(AS_SAID, is_date=True)
    project_id: str | None = Route.prompt(
        "The project it belongs to, which it must have. On a project's page, that project when left out.",
        default=ABSENT,
        names=Table.PROJECTS,
    )
    scope: AnyScope | None = Route.context(init=False)

    @property
    def lasting_arguments(self) -> Mapping[str, JsonValue]:
        return {**self.arguments, "project_id": _project(self)}

    async def execute(self) -> ToolResult:
        project_id = _project(self)
        if not project_id:
            raise ModelRetry(
                f"A {self.type} belongs to a project, so a project is needed: ask the user which, unless they said it."
            )
        row = await client.insert(
            Table.CHECKPOINTS,
            projectId=project_id,
            title=self.title,
            date=self.moment(self.due_at),
            isAiSuggested=0,
            isApproved=1,
        )
        return tell_row("Created", Table.CHECKPOINTS, row, await self.lines([row]), one=self.type)


def _project(tool: CreatePageTask | CreatePageNote | CreateTimelineEvent) -> str | None:
    """The project of a new row: the caller's, or else the one whose page the user is viewing."""
    if "project_id" in tool.given("project_id"):
        return tool.project_id or None
    return viewed_project(tool.scope)


def page_text(page: Page, context: LineContext) -> ToolResult:
    """Everything on ``page``, with its rows by part. Lists are limited, and what is left out is counted."""
    sections: dict[str, ToolResult] = {}
    for part, row in page.rows.items():
        line, column = _ROWS[part]
        told = f"{line(row, context)}\n\n{text(row, column)}"
        sections[SECTION_TITLES[part]] = ToolResult(text=told, rows={part: Rows(rows=(row,))})
    for part, found in page.lists.items():
        line, one, many, max_bytes = _LISTS[part]
        sections[SECTION_TITLES[part]] = listed(part, found, line, context, one=one, many=many, max_bytes=max_bytes)
    return in_sections(sections)


def event_line(row: Row, context: LineContext) -> str:
    """``"Beta" (checkpoint, Tue 2026-12-01, project "Website" [id …]) [id …]``."""
    facts = [
        text(row, "type"),
        text(row, "status").replace("_", " "),
        date_in(row, "date", context.timezone),
        in_project(row, context),
    ]
    return item(text(row, "title"), facts, text(row, "id"))


SECTION_TITLES: Final = {part: part.value.capitalize() for part in Part} | {Part.DEPS: "Depends on"}
_ROWS: Final[Mapping[Part, tuple[Line, str]]] = {
    Part.PROJECT: (project_line, "aiSummary"),
    Part.TASK: (task_line, "description"),
    Part.NOTE: (note_line, "body"),
}
"""The line of a single row, and the column of the text below it."""
_LISTS: Final[Mapping[Part, tuple[Line, str, str, int]]] = {
    # The last number is the size limit in bytes. Those of a page's parts stay within the limit of a call together.
    Part.TASKS: (task_line, "task", "tasks", 30_000),
    Part.NOTES: (note_line, "note", "notes", 8_000),
    Part.MILESTONES: (checkpoint_line, "milestone", "milestones", 6_000),
    Part.COMMENTS: (comment_line, "comment", "comments", 12_000),
    Part.DEPS: (task_line, "task it depends on", "tasks it depends on", 4_000),
    Part.PROJECTS: (project_line, "project", "projects", 50_000),
    Part.EVENTS: (event_line, "event", "events", 50_000),
}
