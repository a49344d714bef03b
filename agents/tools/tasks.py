"""Tools for tasks and their comments."""

import json
from collections.abc import Callable, Sequence
from datetime import datetime

from agents.calls import Table
from agents.tools.client import DeleteTool, RowTool
from agents.tools.rows import Flag, Priority, TaskStatus, ToolResult, day_range, to_ms
from agents.tools.spec import ABSENT, Agent, Risk, Route

_DUE = "Due date in the user's time zone, as 2026-11-24 or 2026-11-24T18:00."


class _TaskTool(RowTool, abstract=True):
    agent = Agent.TASKS
    changes = Table.TASKS


class ListTasks(_TaskTool):
    """List the user's tasks, optionally filtered."""

    risk = Risk.READ
    label = "Looking up tasks"

    project_id: str | None = Route.prompt("Only tasks of this project.", default=None)
    status: TaskStatus | None = Route.prompt("Only tasks in this state.", default=None)
    search: str | None = Route.prompt("Only tasks whose title or description contains this.", default=None)
    order_by: str | None = Route.prompt(
        "The column to sort by: dueDate, priority, title, status or createdAt; with - before it, descending.",
        default=None,
    )

    async def execute(self) -> ToolResult:
        return await self.list_rows(
            projectId=self.project_id, status=self.status, search=self.search, orderBy=self.order_by
        )


class CreateTask(_TaskTool):
    """Create a task."""

    risk = Risk.WRITE
    label = "Creating a task"

    title: str = Route.prompt("What is to be done, in a few words.")
    description: str | None = Route.prompt("Details, if the user gave any.", default=None)
    status: TaskStatus = Route.prompt("Its state.", default="todo")
    priority: Priority = Route.prompt("Its priority.", default="medium")
    assignees: list[str] | None = Route.prompt("Names of the people who do it.", default=None)
    due_date: str | None = Route.prompt(_DUE, default=None)
    project_id: str | None = Route.prompt("The project it belongs to.", default=None)
    is_ai_suggested: Flag = Route.prompt("1 when it is your own suggestion.", default=0)
    is_approved: Flag = Route.prompt("0 while the user has not accepted a suggestion.", default=1)

    async def execute(self) -> ToolResult:
        return await self.insert_row(
            projectId=self.project_id,
            title=self.title,
            description=self.description,
            status=self.status,
            priority=self.priority,
            assignee=_stored(self.assignees) if self.assignees else None,
            dueDate=to_ms(self.due_date, self.timezone) if self.due_date else None,
            isAiSuggested=self.is_ai_suggested,
            isApproved=self.is_approved,
        )


class UpdateTask(_TaskTool):
    """Change a task: only what is given changes, null clears."""

    risk = Risk.WRITE
    label = "Changing a task"

    task_id: str = Route.prompt("The task's id.")
    title: str = Route.prompt("A new title.", default=ABSENT)
    description: str | None = Route.prompt("A new description; null clears it.", default=ABSENT)
    status: TaskStatus = Route.prompt("A new state.", default=ABSENT)
    priority: Priority = Route.prompt("A new priority.", default=ABSENT)
    assignees: list[str] | None = Route.prompt("All names of the people who do it; null clears.", default=ABSENT)
    due_date: str | None = Route.prompt(f"{_DUE} null clears it.", default=ABSENT)
    project_id: str | None = Route.prompt("The project it moves to; null takes it out of its project.", default=ABSENT)
    is_ai_suggested: Flag = Route.prompt("1 when it is your own suggestion.", default=ABSENT)
    is_approved: Flag = Route.prompt("1 when the user accepted the suggestion.", default=ABSENT)

    async def execute(self) -> ToolResult:
        updates = self.columns(*self.routes, assignees="assignee")
        del updates["taskId"]
        if "dueDate" in updates:
            updates["dueDate"] = to_ms(self.due_date, self.timezone) if self.due_date else None
        if "assignee" in updates:
            updates["assignee"] = _stored(self.assignees) if self.assignees else None
        if "projectId" in updates:
            updates["projectId"] = self.project_id or None
        return await self.update_row(self.task_id, updates)


class DeleteTask(DeleteTool, _TaskTool):
    """Delete a task for good."""

    label = "Deleting a task"

    task_id: str = Route.prompt("The task's id.")


class ListTasksDueToday(_TaskTool):
    """List the tasks that are due today, in the user's time zone."""

    risk = Risk.READ
    label = "Looking up what is due today"

    now: Callable[[], datetime] = Route.context(init=False)

    async def execute(self) -> ToolResult:
        start, end = day_range(self.now().astimezone(self.timezone).date(), self.timezone)
        return await self.list_rows(dueDateFrom=start, dueDateTo=end)


class ListTaskComments(_TaskTool):
    """List the comments of a task."""

    risk = Risk.READ
    label = "Reading comments"
    changes = Table.TASK_COMMENTS

    task_id: str = Route.prompt("The task's id.")

    async def execute(self) -> ToolResult:
        return await self.list_rows(taskId=self.task_id)


class AddTaskComment(_TaskTool):
    """Add a comment to a task."""

    risk = Risk.WRITE
    label = "Adding a comment"
    changes = Table.TASK_COMMENTS

    task_id: str = Route.prompt("The task's id.")
    author: str = Route.prompt("Who says it.")
    content: str = Route.prompt("The comment.")

    async def execute(self) -> ToolResult:
        return await self.insert_row("Added", taskId=self.task_id, author=self.author, content=self.content)


class DeleteTaskComment(DeleteTool, _TaskTool):
    """Delete a comment of a task for good."""

    label = "Deleting a comment"
    changes = Table.TASK_COMMENTS

    comment_id: str = Route.prompt("The comment's id.")


def _stored(assignees: Sequence[str]) -> str:
    return json.dumps(list(assignees), ensure_ascii=False)
