"""Tools for tasks and their comments."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from accounts.translations import translations
from agents.calls import ClientAnswer, Row, Table
from agents.errors import ModelRetry
from agents.titles import words_of
from agents.tools import client
from agents.tools.arguments import (
    APPROVAL_WORDS,
    AS_SAID,
    DESCRIPTION_WORDS,
    DUE_WORDS,
    OVERDUE_WORDS,
    PEOPLE_WORDS,
    STATUS_WORDS,
    URGENCY_WORDS,
    WHEN_WORDS,
    AnyPriority,
    AnyTaskFilter,
    AnyTaskOrder,
    AnyTaskStatus,
)
from agents.tools.client import SELECT_LIMIT, DeleteTool, RowTool, together
from agents.tools.routes import ABSENT, Route
from agents.tools.rows import Flag, TaskStatus, ToolResult, assignees, day_range, list_rows, milliseconds, text
from agents.tools.spec import Agent, Risk

_NOW_MS: Final = 15 * 60 * 1000
"""How far back a due date may be, in milliseconds, to be the time of the turn that a model has copied."""
_IF_SAID = "Only if asked for."
"""Small models give a value to each parameter that they read of."""


class _TaskTool(RowTool, abstract=True):
    agent = Agent.TASKS
    changes = Table.TASKS

    def _day(self) -> tuple[int, int]:
        """The first and the last millisecond of the user's day."""
        return day_range(self.today, self.timezone)

    def _new_due(self, said: str) -> int | None:
        """A due date in milliseconds; None if it is now: small models copy the time that they read."""
        due = self.moment(said)
        if due == day_range(datetime.fromtimestamp(due / 1000, self.timezone).date(), self.timezone)[0]:
            return due
        return None if 0 <= self.now().timestamp() * 1000 - due < _NOW_MS else due


class ListTasks(_TaskTool):
    """List tasks, filtered."""

    risk = Risk.READ
    label = "Looking up tasks"

    task_id: str | None = Route.prompt(default=None, names=Table.TASKS, told=False)
    project_id: str | None = Route.prompt(default=None, names=Table.PROJECTS)
    status: AnyTaskFilter | None = Route.prompt("open: not done.", default=None, founded=STATUS_WORDS)
    overdue: bool = Route.prompt("Only due before today.", default=False, founded=OVERDUE_WORDS)
    due_from: str | None = Route.prompt("From that day on.", default=None, founded=WHEN_WORDS, is_date=True)
    due_to: str | None = Route.prompt("Until that day.", default=None, founded=WHEN_WORDS, is_date=True)
    due_date: str | None = Route.prompt(default=None, founded=WHEN_WORDS, is_date=True, told=False)
    assignee: str | None = Route.prompt(default=None, mentioned=True)
    search: str | None = Route.prompt(default=None)
    order_by: AnyTaskOrder | None = Route.prompt("- is descending.", default=None)

    async def execute(self) -> ToolResult:
        if self.task_id:
            # No tool reads a single task.
            found_row = await client.get(Table.TASKS, self.task_id)
            return list_rows(Table.TASKS, ClientAnswer(rows=(found_row,)), await self.lines([found_row]))
        first, last = self._due()
        dated = first is not None or last is not None
        order = self.order_by or ("dueDate" if dated else None)
        filters = client.filled(
            projectId=self.project_id, search=self.search, orderBy=order, dueDateFrom=first, dueDateTo=last
        )
        if self.overdue and self.status == "done":
            raise ModelRetry("A task that is done is not overdue: leave out one of status and overdue.")
        if self.overdue and first is not None and first >= self._day()[0]:
            raise ModelRetry(
                "Overdue is what was due before today. Leave out due_from for that, or overdue for what is due from "
                "then on.",
                correctable=True,
            )
        states = _OPEN if self.status == "open" or (self.overdue and self.status is None) else (self.status,)
        found = await together(*(client.select(Table.TASKS, status=state, **filters) for state in states))
        answer = found[0] if len(found) == 1 else _in_one(found, order or "createdAt")
        if self.assignee:
            answer = _of_person(answer, self.assignee)
        return list_rows(Table.TASKS, answer, await self.lines(answer.rows))

    def _due(self) -> tuple[int | None, int | None]:
        """The first and the last due date in milliseconds. A day without a time is meant with all its hours.

        So is the day of one moment that is both the first and the last.
        """
        since, until = self.due_from or self.due_date, self.due_to or self.due_date
        first = self.moment(since) if since else None
        last = self.moment(until) if until else None
        if last is not None:
            start, end = day_range(datetime.fromtimestamp(last / 1000, self.timezone).date(), self.timezone)
            # Small models ask for what is due today by the present minute, twice.
            first, last = (start, end) if first == last else (first, end if last == start else last)
        if self.overdue:
            today, _ = self._day()
            last = today - 1 if last is None else min(last, today - 1)
        return first, last


class CreateTask(_TaskTool):
    """Create a task."""

    risk = Risk.WRITE
    label = "Creating a task"

    title: str = Route.prompt("In a few words.")
    description: str | None = Route.prompt(_IF_SAID, default=None, founded=DESCRIPTION_WORDS, own_words=True)
    status: AnyTaskStatus = Route.prompt(default="todo", told=False)
    priority: AnyPriority = Route.prompt(_IF_SAID, default="medium", founded=URGENCY_WORDS)
    assignees: list[str] | None = Route.prompt(f"Names. {_IF_SAID}", default=None, mentioned=True)
    due_date: str | None = Route.prompt(f"{_IF_SAID} {AS_SAID}", default=None, founded=WHEN_WORDS, is_date=True)
    project_id: str | None = Route.prompt(f"{_IF_SAID} Id or exact name.", default=None, names=Table.PROJECTS)
    is_ai_suggested: Flag = Route.prompt(default=0, told=False)
    is_approved: Flag = Route.prompt(default=1, told=False)

    async def execute(self) -> ToolResult:
        return await self.insert_row(
            projectId=self.project_id,
            title=self.title,
            description=self.description,
            status=self.status,
            priority=self.priority,
            assignee=_stored(self.assignees) if self.assignees else None,
            dueDate=self._new_due(self.due_date) if self.due_date else None,
            isAiSuggested=self.is_ai_suggested,
            isApproved=self.is_approved,
        )


class UpdateTask(_TaskTool):
    """Change a task: only what the user wants changed; an empty text or list clears."""

    risk = Risk.WRITE
    overwrites = True
    label = "Changing a task"

    task_id: str = Route.prompt(names=Table.TASKS)
    title: str = Route.prompt(default=ABSENT)
    description: str | None = Route.prompt(default=ABSENT, founded=DESCRIPTION_WORDS, own_words=True)
    status: AnyTaskStatus = Route.prompt(default=ABSENT)
    priority: AnyPriority = Route.prompt(default=ABSENT, founded=URGENCY_WORDS)
    assignees: list[str] | None = Route.prompt("All of them.", default=ABSENT, founded=PEOPLE_WORDS, mentioned=True)
    due_date: str | None = Route.prompt(AS_SAID, default=ABSENT, founded=WHEN_WORDS, cleared=DUE_WORDS, is_date=True)
    project_id: str | None = Route.prompt(default=ABSENT, names=Table.PROJECTS)
    is_ai_suggested: Flag = Route.prompt(default=ABSENT, told=False, founded=APPROVAL_WORDS)
    is_approved: Flag = Route.prompt("1: the user accepted it.", default=ABSENT, founded=APPROVAL_WORDS)

    async def execute(self) -> ToolResult:
        updates = self.columns(*self.routes, assignees="assignee")
        del updates["taskId"]
        if "dueDate" in updates:
            updates["dueDate"] = self._new_due(self.due_date) if self.due_date else None
            if self.due_date and updates["dueDate"] is None:
                del updates["dueDate"]
        if "assignee" in updates:
            updates["assignee"] = _stored(self.assignees) if self.assignees else None
        if "projectId" in updates:
            updates["projectId"] = self.project_id or None
        return await self.update_row(self.task_id, updates)


class DeleteTask(DeleteTool, _TaskTool):
    """Delete a task."""

    label = "Deleting a task"

    task_id: str = Route.prompt(names=Table.TASKS)


class ListTasksDueToday(_TaskTool):
    """List the tasks that are due today, in the user's time zone."""

    # Agents have list_tasks, which does that too.
    domains = ()
    risk = Risk.READ
    label = "Looking up what is due today"

    async def execute(self) -> ToolResult:
        start, end = self._day()
        return await self.list_rows(dueDateFrom=start, dueDateTo=end)


class ListTaskComments(_TaskTool):
    """List the comments of a task."""

    risk = Risk.READ
    label = "Reading comments"
    changes = Table.TASK_COMMENTS

    task_id: str = Route.prompt(names=Table.TASKS)

    async def execute(self) -> ToolResult:
        return await self.list_rows(taskId=self.task_id)


class AddTaskComment(_TaskTool):
    """Comment on a task."""

    risk = Risk.WRITE
    label = "Adding a comment"
    changes = Table.TASK_COMMENTS

    task_id: str = Route.prompt(names=Table.TASKS)
    content: str = Route.prompt()
    language: str = Route.context(init=False)

    async def execute(self) -> ToolResult:
        author = translations(self.language).gettext("Me")
        return await self.insert_row("Added", taskId=self.task_id, author=author, content=self.content)


class DeleteTaskComment(DeleteTool, _TaskTool):
    """Delete a comment."""

    label = "Deleting a comment"
    changes = Table.TASK_COMMENTS

    comment_id: str = Route.prompt(names=Table.TASK_COMMENTS)


_OPEN: Final[Sequence[TaskStatus]] = ("todo", "in_progress")
_RANKS: Final[Mapping[str, Mapping[str, int]]] = {
    "priority": {"high": 0, "medium": 1, "low": 2},
    "status": {"todo": 0, "in_progress": 1, "done": 2},
}
"""The order of the values of a column, which is not that of the alphabet."""


def _in_one(answers: Sequence[ClientAnswer], order: str) -> ClientAnswer:
    """The tasks of several selects as one would give them, in ``order``; those without a value come last."""
    column, descending = order.removeprefix("-"), order.startswith("-")

    def rank(row: Row) -> tuple[int, str]:
        value = text(row, column).casefold()
        return _RANKS.get(column, {}).get(value, milliseconds(row, column)), value

    # Of equals the oldest comes first.
    rows = sorted((row for answer in answers for row in answer.rows), key=lambda row: milliseconds(row, "createdAt"))
    without = [row for row in rows if row.get(column) is None]
    found = sorted((row for row in rows if row.get(column) is not None), key=rank, reverse=descending) + without
    return ClientAnswer(
        rows=tuple(found[:SELECT_LIMIT]),
        omitted=sum(answer.omitted for answer in answers) + max(0, len(found) - SELECT_LIMIT),
        unsent=sum(answer.unsent for answer in answers),
        uncounted=any(answer.uncounted for answer in answers),
    )


def _of_person(answer: ClientAnswer, name: str) -> ClientAnswer:
    """The tasks of ``answer`` that are assigned to someone of this name, or of a longer one with it."""
    wanted = set(words_of(name).split())
    rows = [row for row in answer.rows if any(wanted <= set(words_of(each).split()) for each in assignees(row))]
    if answer.is_cut and not rows:
        raise ModelRetry(f"None of the {len(answer.rows)} tasks that were read is theirs: narrow the search.")
    return ClientAnswer(rows=tuple(rows), uncounted=answer.is_cut)


def _stored(assignees: Sequence[str]) -> str:
    return json.dumps(list(assignees), ensure_ascii=False)
