"""A device in memory for the offline assistant: rows in dicts, and the tools' own words for them.

The methods of ``World`` are the tools, with their exact arguments, so a call with a wrong argument fails the test.
"""

import inspect
import itertools
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from zoneinfo import ZoneInfo

from agents.adapters.base import (
    AnswerFormat,
    AssistantMessage,
    Message,
    ModelParams,
    SystemMessage,
    ToolMessage,
    ToolSchema,
    UserMessage,
)
from agents.events import ModelEvent, ModelStopped, StopReason, TextDelta, ToolCall
from agents.jobs.notices import begun_notice
from agents.offline import OfflineAdapter
from agents.tools.wording import item, listing

ROME = ZoneInfo("Europe/Rome")
NOW = datetime(2026, 11, 18, 10, 30, tzinfo=ROME)  # a Wednesday
MAX_ROUNDS = 5
BEGUN = begun_notice()
Record = dict[str, object]


@dataclass
class World:
    """Tables of rows by id, and the tools that read and write them."""

    today: date = field(default_factory=NOW.date)
    tasks: dict[str, Record] = field(default_factory=dict)
    projects: dict[str, Record] = field(default_factory=dict)
    checkpoints: dict[str, Record] = field(default_factory=dict)
    notes: dict[str, Record] = field(default_factory=dict)
    comments: dict[str, Record] = field(default_factory=dict)
    calls: list[tuple[str, Record]] = field(default_factory=list)
    failing: dict[str, str] = field(default_factory=dict)
    """Texts of tools that fail."""
    withheld: frozenset[str] = frozenset()
    """Tools that are not on offer."""
    _ids: Iterable[int] = field(default_factory=lambda: itertools.count(1))

    def task(self, title: str, **columns: object) -> str:
        return self._insert(self.tasks, {"title": title, "status": "todo", "priority": "medium"} | columns)

    def project(self, name: str, *, status: str = "active", summary: str = "") -> str:
        return self._insert(self.projects, {"name": name, "status": status, "summary": summary})

    def checkpoint(self, title: str, project_id: str, day: str) -> str:
        return self._insert(self.checkpoints, {"title": title, "project_id": project_id, "date": day})

    def note(self, title: str, content: str, project_id: str | None = None) -> str:
        return self._insert(self.notes, {"title": title, "content": content, "project_id": project_id})

    def comment(self, task_id: str, author: str, content: str) -> str:
        return self._insert(self.comments, {"task_id": task_id, "author": author, "content": content})

    def schemas(self) -> list[ToolSchema]:
        return [_schema(name, tool) for name, tool in self._tools().items() if name not in self.withheld]

    def run(self, call: ToolCall) -> str:
        """The text of one call."""
        arguments = json.loads(call.arguments)
        self.calls.append((call.name, arguments))
        if call.name in self.failing:
            return self.failing[call.name]
        return str(self._tools()[call.name](**arguments))

    def writes(self) -> list[str]:
        """The names of the tools called that change something."""
        return [name for name, _ in self.calls if name.startswith(("create_", "update_", "delete_", "add_"))]

    # The tools.

    def _list_tasks(
        self,
        project_id: str | None = None,
        status: str | None = None,
        search: str | None = None,
        order_by: str | None = None,
    ) -> str:
        rows = [
            row
            for row in self.tasks.values()
            if (project_id is None or row.get("project_id") == project_id)
            and (status is None or row["status"] == status)
            # As SQLite searches: only ASCII letters lose their case.
            and (search is None or _ascii_folded(search) in _ascii_folded(f"{row['title']} {row.get('description')}"))
        ]
        return listing([_task_line(row) for row in rows], one="task", many="tasks")

    def _list_tasks_due_today(self) -> str:
        rows = [row for row in self.tasks.values() if str(row.get("due_date", ""))[:10] == self.today.isoformat()]
        return listing([_task_line(row) for row in rows], one="task", many="tasks")

    def _create_task(
        self,
        title: str,
        status: str,
        priority: str,
        description: str | None = None,
        assignees: list[str] | None = None,
        due_date: str | None = None,
        project_id: str | None = None,
    ) -> str:
        given = {"description": description, "assignees": assignees, "due_date": due_date, "project_id": project_id}
        columns = {name: value for name, value in given.items() if value is not None}
        row = self.tasks[self.task(title, status=status, priority=priority, **columns)]
        return f"Created the task {_task_line(row)}."

    def _update_task(self, task_id: str, **updates: object) -> str:
        allowed = {"title", "description", "status", "priority", "assignees", "due_date", "project_id"}
        assert updates.keys() <= allowed
        row = self._updated(self.tasks, task_id, updates)
        return f"Updated the task {_task_line(row)}." if row else f"There is no task with the id {task_id}."

    def _delete_task(self, task_id: str) -> str:
        return self._deleted(self.tasks, task_id, "task")

    def _list_task_comments(self, task_id: str) -> str:
        rows = [row for row in self.comments.values() if row["task_id"] == task_id]
        return listing([_comment_line(row) for row in rows], one="comment", many="comments")

    def _add_task_comment(self, task_id: str, author: str, content: str) -> str:
        return f"Added the comment {_comment_line(self.comments[self.comment(task_id, author, content)])}."

    def _delete_task_comment(self, comment_id: str) -> str:
        return self._deleted(self.comments, comment_id, "comment")

    def _list_projects(self, client_id: str | None = None, include_archived: bool = False) -> str:
        rows = [row for row in self.projects.values() if include_archived or row["status"] == "active"]
        return listing([_project_line(row) for row in rows], one="project", many="projects")

    def _list_all_projects(self) -> str:
        return self._list_projects(include_archived=True)

    def _get_project(self, project_id: str) -> str:
        row = self.projects[project_id]
        return f"{_project_line(row)}\n\n{row['summary']}" if row["summary"] else _project_line(row)

    def _create_project(self, name: str, client_id: str | None = None) -> str:
        return f"Created the project {_project_line(self.projects[self.project(name)])}."

    def _update_project(self, project_id: str, name: str | None = None, status: str | None = None) -> str:
        given = {"name": name, "status": status}
        row = self._updated(self.projects, project_id, {key: value for key, value in given.items() if value})
        return f"Updated the project {_project_line(row or {})}."

    def _delete_project(self, project_id: str) -> str:
        return self._deleted(self.projects, project_id, "project")

    def _list_checkpoints(self, project_id: str) -> str:
        rows = [row for row in self.checkpoints.values() if row["project_id"] == project_id]
        return listing([_checkpoint_line(row) for row in rows], one="checkpoint", many="checkpoints")

    def _create_checkpoint(self, project_id: str, title: str, date: str) -> str:
        row = self.checkpoints[self.checkpoint(title, project_id, date)]
        return f"Created the checkpoint {_checkpoint_line(row)}."

    def _update_checkpoint(self, checkpoint_id: str, **updates: object) -> str:
        assert updates.keys() <= {"title", "date", "project_id"}
        return (
            f"Updated the checkpoint {_checkpoint_line(self._updated(self.checkpoints, checkpoint_id, updates) or {})}."
        )

    def _delete_checkpoint(self, checkpoint_id: str) -> str:
        return self._deleted(self.checkpoints, checkpoint_id, "checkpoint")

    def _list_notes(self, project_id: str | None = None) -> str:
        rows = [row for row in self.notes.values() if project_id in {None, row["project_id"]}]
        return listing([_note_line(row) for row in rows], one="note", many="notes")

    def _get_note(self, note_id: str) -> str:
        return f"{_note_line(self.notes[note_id])}\n\n{self.notes[note_id]['content']}"

    def _create_note(self, title: str, content: str, project_id: str | None = None) -> str:
        return f"Created the note {_note_line(self.notes[self.note(title, content, project_id)])}."

    def _update_note(self, note_id: str, **updates: object) -> str:
        assert updates.keys() <= {"title", "content", "project_id"}
        return f"Updated the note {_note_line(self._updated(self.notes, note_id, updates) or {})}."

    def _delete_note(self, note_id: str) -> str:
        return self._deleted(self.notes, note_id, "note")

    def _search_notes(self, query: str, project_id: str | None = None, limit: int = 10) -> str:
        words = set(query.casefold().split())
        rows = [row for row in self.notes.values() if words & set(str(row["content"]).casefold().split())]
        rows = [row for row in rows if project_id in {None, row["project_id"]}]
        lines = [f"{item(str(row['title']), ['similarity 0.83'], str(row['id']))}\n  {row['content']}" for row in rows]
        return listing(lines[:limit], one="note", many="notes")

    def _summarize_project(self, project_id: str) -> str:
        assert project_id in self.projects
        return BEGUN

    def _plan_project(self, project_id: str, goal: str) -> str:
        assert project_id in self.projects
        assert goal
        return BEGUN

    def _weekly_review(self) -> str:
        return BEGUN

    def _tools(self) -> dict[str, Callable[..., object]]:
        tools = inspect.getmembers(self, inspect.ismethod)
        reads, writes = ("_list_", "_get_", "_search_"), ("_create_", "_update_", "_delete_", "_add_")
        starts = (*reads, *writes, "_summarize_", "_plan_", "_weekly_")
        return {name[1:]: tool for name, tool in tools if name.startswith(starts)}

    def _insert(self, table: dict[str, Record], columns: Record) -> str:
        row_id = f"row-{next(iter(self._ids))}"
        table[row_id] = {"id": row_id} | columns
        return row_id

    def _updated(self, table: dict[str, Record], row_id: str, updates: Record) -> Record | None:
        row = table.get(row_id)
        if row is not None:
            row.update(updates)
        return row

    def _deleted(self, table: dict[str, Record], row_id: str, one: str) -> str:
        return (
            f"Deleted the {one} [id {row_id}]."
            if table.pop(row_id, None)
            else f"There is no {one} with the id {row_id}."
        )


@dataclass(frozen=True, kw_only=True)
class Said:
    """One whole answer: its text, its blocks (of BLOCKS), the number of tool rounds."""

    text: str
    rounds: int

    @property
    def blocks(self) -> list[Record]:
        return [json.loads(line) for line in self.text.split("\n")]

    @property
    def content(self) -> str:
        """The text block's content."""
        return str(self.blocks[0]["content"])


async def request(
    messages: Sequence[Message], tools: Sequence[ToolSchema], params: ModelParams, adapter: OfflineAdapter | None = None
) -> list[ModelEvent]:
    """The events of one model request."""
    return [event async for event in (adapter or OfflineAdapter()).stream(messages, tools, params)]


async def say(
    world: World,
    message: str,
    *,
    answer_format: AnswerFormat = AnswerFormat.TEXT,
    language: str = "en",
    history: Sequence[Message] = (),
    now: datetime | None = NOW,
) -> Said:
    """Say ``message`` and carry out what the adapter asks for, as the loop does."""
    params = ModelParams(answer_format=answer_format, language=language, now=now)
    conversation: list[Message] = [SystemMessage(text="Be helpful."), *history, UserMessage(text=message)]
    for tool_round in range(MAX_ROUNDS + 1):
        tools = world.schemas() if tool_round < MAX_ROUNDS else []
        events = await request(conversation, tools, params)
        calls = [event for event in events if isinstance(event, ToolCall)]
        text = "".join(event.text for event in events if isinstance(event, TextDelta))
        assert events[-1] == ModelStopped(reason=StopReason.TOOL_CALLS if calls else StopReason.COMPLETE)
        if not calls:
            return Said(text=text, rounds=tool_round)
        assert {call.name for call in calls} <= {tool.name for tool in tools}
        conversation.append(AssistantMessage(text=text, tool_calls=tuple(calls)))
        conversation.extend(ToolMessage(call_id=call.id, text=world.run(call)) for call in calls)
    raise AssertionError("asked for tools that were not on offer")


def _schema(name: str, tool: Callable[..., object]) -> ToolSchema:
    properties: dict[str, object] = {parameter: {} for parameter in inspect.signature(tool).parameters}
    return ToolSchema(name=name, description="", parameters={"type": "object", "properties": properties})


def _ascii_folded(text: str) -> str:
    return "".join(mark.lower() if mark.isascii() else mark for mark in text)


def _labelled(label: str, value: object) -> str:
    return f"{label} {str(value).replace('T', ' ')}" if value else ""


def _task_line(row: Record) -> str:
    assignees = row.get("assignees")
    facts = [
        str(row["status"]).replace("_", " "),
        f"{row['priority']} priority",
        _labelled("due", row.get("due_date")),
        f"project {row['project_id']}" if row.get("project_id") else "",
        f"for {' & '.join(assignees)}" if isinstance(assignees, list) and assignees else "",
    ]
    return item(str(row["title"]), facts, str(row["id"]))


def _project_line(row: Record) -> str:
    return item(str(row["name"]), [str(row["status"])], str(row["id"]))


def _checkpoint_line(row: Record) -> str:
    return item(str(row["title"]), [str(row["date"]).replace("T", " "), f"project {row['project_id']}"], str(row["id"]))


def _note_line(row: Record) -> str:
    facts = ["created 2026-11-01", f"project {row['project_id']}" if row["project_id"] else ""]
    return item(str(row["title"]), facts, str(row["id"]))


def _comment_line(row: Record) -> str:
    return item(str(row["content"]), [f"by {row['author']}", "2026-11-17"], str(row["id"]))
