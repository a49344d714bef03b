"""An in-memory device for the offline assistant: rows in dicts, and tools that return real results for them.

The methods of ``World`` are the tools, with their exact arguments, so a call with a wrong argument fails the test.
"""

import inspect
import itertools
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import cast
from zoneinfo import ZoneInfo

from pydantic import JsonValue

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
from agents.calls import ClientAnswer, Row, Table
from agents.events import ModelEvent, ModelStopped, StopReason, TextDelta, ToolCall
from agents.offline import OfflineAdapter
from agents.tools.long import begun_notice
from agents.tools.rows import LineContext, ToolResult, list_rows, tell_row, to_ms

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
    """The error texts of tools that fail, by tool."""
    omitting: dict[str, int] = field(default_factory=dict)
    """The number of rows that each list tool leaves out."""
    withheld: frozenset[str] = frozenset()
    """Tools that are not offered."""
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

    def run(self, call: ToolCall) -> ToolMessage:
        """The result of one call."""
        arguments = json.loads(call.arguments)
        self.calls.append((call.name, arguments))
        if call.name in self.failing:
            return ToolMessage(call_id=call.id, text=self.failing[call.name], ok=False)
        result = self._tools()[call.name](**arguments)
        if isinstance(result, str):
            return ToolMessage(call_id=call.id, text=result, ok=not result.startswith("There is no"))
        rows = {name: replace(found, omitted=self.omitting.get(call.name, 0)) for name, found in result.rows.items()}
        return ToolMessage(call_id=call.id, text=result.text, rows=rows)

    def writes(self) -> list[str]:
        """The names of the called tools that write."""
        return [name for name, _ in self.calls if name.startswith(("create_", "update_", "delete_", "add_"))]

    # The tools.

    def _list_tasks(
        self,
        project_id: str | None = None,
        status: str | None = None,
        search: str | None = None,
        due_from: str | None = None,
        due_to: str | None = None,
    ) -> ToolResult | str:
        rows = [
            row
            for row in self.tasks.values()
            if (project_id is None or row.get("project_id") == project_id)
            and (status is None or row["status"] == status)
            and (due_from is None or due_from <= str(row.get("due_date", ""))[:10])
            and (due_to is None or str(row.get("due_date", ""))[:10] <= due_to)
            # Like SQLite's LIKE: only ASCII letters are compared case-insensitively.
            and (search is None or _ascii_folded(search) in _ascii_folded(f"{row['title']} {row.get('description')}"))
        ]
        return _listed(Table.TASKS, rows)

    def _create_task(
        self,
        title: str,
        status: str,
        priority: str,
        description: str | None = None,
        assignees: list[str] | None = None,
        due_date: str | None = None,
        project_id: str | None = None,
    ) -> ToolResult | str:
        given = {"description": description, "assignees": assignees, "due_date": due_date, "project_id": project_id}
        columns = {name: value for name, value in given.items() if value is not None}
        row = self.tasks[self.task(title, status=status, priority=priority, **columns)]
        return _told("Created", Table.TASKS, row)

    def _update_task(self, task_id: str, **updates: object) -> ToolResult | str:
        allowed = {"title", "description", "status", "priority", "assignees", "due_date", "project_id"}
        assert updates.keys() <= allowed
        row = self._updated(self.tasks, task_id, updates)
        return _told("Updated", Table.TASKS, row) if row else f"There is no task with the id {task_id}."

    def _delete_task(self, task_id: str) -> ToolResult | str:
        return self._deleted(self.tasks, task_id, "task")

    def _list_task_comments(self, task_id: str) -> ToolResult | str:
        rows = [row for row in self.comments.values() if row["task_id"] == task_id]
        return _listed(Table.TASK_COMMENTS, rows)

    def _add_task_comment(self, task_id: str, content: str) -> ToolResult | str:
        row = self.comments[self.comment(task_id, "Me", content)]
        return _told("Added", Table.TASK_COMMENTS, row)

    def _delete_task_comment(self, comment_id: str) -> ToolResult | str:
        return self._deleted(self.comments, comment_id, "comment")

    def _list_projects(self, client_id: str | None = None, include_archived: bool = False) -> ToolResult | str:
        rows = [row for row in self.projects.values() if include_archived or row["status"] == "active"]
        return _listed(Table.PROJECTS, rows)

    def _get_project(self, project_id: str) -> ToolResult | str:
        row = self.projects[project_id]
        return _told("Found", Table.PROJECTS, row)

    def _create_project(self, name: str, client_id: str | None = None) -> ToolResult | str:
        return _told("Created", Table.PROJECTS, self.projects[self.project(name)])

    def _update_project(self, project_id: str, name: str | None = None, status: str | None = None) -> ToolResult | str:
        given = {"name": name, "status": status}
        row = self._updated(self.projects, project_id, {key: value for key, value in given.items() if value})
        return _told("Updated", Table.PROJECTS, row or {})

    def _delete_project(self, project_id: str) -> ToolResult | str:
        return self._deleted(self.projects, project_id, "project")

    def _list_checkpoints(self, project_id: str) -> ToolResult | str:
        rows = [row for row in self.checkpoints.values() if row["project_id"] == project_id]
        return _listed(Table.CHECKPOINTS, rows)

    def _create_checkpoint(self, project_id: str, title: str, date: str) -> ToolResult | str:
        row = self.checkpoints[self.checkpoint(title, project_id, date)]
        return _told("Created", Table.CHECKPOINTS, row)

    def _update_checkpoint(self, checkpoint_id: str, **updates: object) -> ToolResult | str:
        assert updates.keys() <= {"title", "date", "project_id"}
        row = self._updated(self.checkpoints, checkpoint_id, updates)
        return _told("Updated", Table.CHECKPOINTS, row or {})

    def _delete_checkpoint(self, checkpoint_id: str) -> ToolResult | str:
        return self._deleted(self.checkpoints, checkpoint_id, "checkpoint")

    def _list_notes(self, project_id: str | None = None) -> ToolResult | str:
        rows = [row for row in self.notes.values() if project_id in {None, row["project_id"]}]
        return _listed(Table.NOTES, rows)

    def _get_note(self, note_id: str) -> ToolResult | str:
        return _told("Found", Table.NOTES, self.notes[note_id])

    def _create_note(self, title: str, content: str, project_id: str | None = None) -> ToolResult | str:
        return _told("Created", Table.NOTES, self.notes[self.note(title, content, project_id)])

    def _update_note(self, note_id: str, **updates: object) -> ToolResult | str:
        assert updates.keys() <= {"title", "content", "project_id"}
        return _told("Updated", Table.NOTES, self._updated(self.notes, note_id, updates) or {})

    def _delete_note(self, note_id: str) -> ToolResult | str:
        return self._deleted(self.notes, note_id, "note")

    def _search_notes(self, query: str, project_id: str | None = None, limit: int = 10) -> ToolResult | str:
        words = set(query.casefold().split())
        rows = [row for row in self.notes.values() if words & set(str(row["content"]).casefold().split())]
        rows = [row for row in rows if project_id in {None, row["project_id"]}]
        return _listed(Table.NOTES, rows[:limit])

    def _summarize_project(self, project_id: str) -> str:
        assert project_id in self.projects
        return BEGUN

    def _plan_project(self, project_id: str, goal: str) -> str:
        assert project_id in self.projects
        assert goal
        return BEGUN

    def _weekly_review(self) -> str:
        return BEGUN

    def _tools(self) -> dict[str, Callable[..., ToolResult | str]]:
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
    """A whole answer: its text, its blocks if the format is BLOCKS, and the number of tool rounds."""

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
    """Send ``message`` and run the adapter's tool calls, as the loop does."""
    params = ModelParams(answer_format=answer_format, language=language, now=now)
    conversation: list[Message] = [SystemMessage(text="Be helpful."), *history, UserMessage(text=message)]
    for tool_round in range(MAX_ROUNDS + 1):
        tools = world.schemas() if tool_round < MAX_ROUNDS else []
        events = await request(conversation, tools, params)
        calls = [event for event in events if isinstance(event, ToolCall)]
        text = "".join(event.text for event in events if isinstance(event, TextDelta))
        reasons = {StopReason.TOOL_CALLS} if calls else {StopReason.COMPLETE, StopReason.NO_ANSWER}
        assert events[-1] in [ModelStopped(reason=reason) for reason in reasons]
        if not calls:
            return Said(text=text, rounds=tool_round)
        assert {call.name for call in calls} <= {tool.name for tool in tools}
        conversation.append(AssistantMessage(text=text, tool_calls=tuple(calls)))
        conversation.extend(world.run(call) for call in calls)
    raise AssertionError("called tools in the last round")


def _schema(name: str, tool: Callable[..., object]) -> ToolSchema:
    properties: dict[str, object] = {parameter: {} for parameter in inspect.signature(tool).parameters}
    return ToolSchema(name=name, description="", parameters={"type": "object", "properties": properties})


def _ascii_folded(text: str) -> str:
    return "".join(mark.lower() if mark.isascii() else mark for mark in text)


def _listed(table: Table, rows: Iterable[Record]) -> ToolResult:
    return list_rows(table, ClientAnswer(rows=tuple(map(_row, rows))), LineContext(timezone=ROME))


def _told(done: str, table: Table, row: Record) -> ToolResult:
    return tell_row(done, table, _row(row), LineContext(timezone=ROME))


def _row(record: Record) -> Row:
    """``record`` as a client returns it."""
    row: dict[str, JsonValue] = {_COLUMNS.get(name, name): _value(name, value) for name, value in record.items()}
    made = "2026-11-17" if "task_id" in record else "2026-11-01"
    return {"createdAt": to_ms(made, ROME), **row}


_COLUMNS = {"due_date": "dueDate", "project_id": "projectId", "assignees": "assignee", "summary": "aiSummary"}


def _value(name: str, value: object) -> JsonValue:
    if name == "assignees":
        return json.dumps(value) if value else None
    is_date = name in {"due_date", "date"} and isinstance(value, str)
    return to_ms(str(value), ROME) if is_date else cast("JsonValue", value)
