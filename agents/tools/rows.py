"""Reading the client's rows, which are untrusted, and telling them to a model one line each."""

import json
from typing import Literal, TypeAlias
from zoneinfo import ZoneInfo

from agents.calls import Row
from agents.tools.dates import to_iso
from agents.tools.wording import item

TaskStatus: TypeAlias = Literal["todo", "in_progress", "done"]
Priority: TypeAlias = Literal["high", "medium", "low"]
ProjectStatus: TypeAlias = Literal["active", "archived"]
Flag: TypeAlias = Literal[0, 1]


def text(row: Row, column: str) -> str:
    """The text in ``column``, empty when there is none."""
    value = row.get(column)
    return value if isinstance(value, str) else ""


def _number(row: Row, column: str) -> int | None:
    value = row.get(column)
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def milliseconds(row: Row, column: str) -> int:
    """The moment in ``column``; 0 when there is none."""
    return _number(row, column) or 0


def _moment(row: Row, column: str, timezone: ZoneInfo) -> str:
    value = _number(row, column)
    return "" if value is None else to_iso(value, timezone)


def _labelled(label: str, value: str) -> str:
    return f"{label} {value}" if value else ""


def _suggested(row: Row) -> str:
    return "suggested, not accepted yet" if row.get("isAiSuggested") == 1 and row.get("isApproved") == 0 else ""


def assignees(row: Row) -> list[str]:
    """The names in a task's ``assignee`` column, a JSON array as a string; one plain name is taken as it is."""
    stored = text(row, "assignee")
    try:
        names = json.loads(stored) if stored else []
    except ValueError:
        return [stored]
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else [stored]


def task_line(row: Row, timezone: ZoneInfo) -> str:
    """``"Buy milk" (todo, high priority, due 2026-11-21) [id …]``."""
    facts = [
        text(row, "status").replace("_", " "),
        f"{priority} priority" if (priority := text(row, "priority")) else "",
        _labelled("due", _moment(row, "dueDate", timezone)),
        _labelled("project", text(row, "projectId")),
        _labelled("for", " & ".join(assignees(row))),
        _suggested(row),
    ]
    return item(text(row, "title"), facts, text(row, "id"))


def project_line(row: Row) -> str:
    """``"Website" (active, client …) [id …]``."""
    return item(text(row, "name"), [text(row, "status"), _labelled("client", text(row, "clientId"))], text(row, "id"))


def checkpoint_line(row: Row, timezone: ZoneInfo) -> str:
    """``"Beta" (2026-12-01, project …) [id …]``."""
    facts = [_moment(row, "date", timezone), _labelled("project", text(row, "projectId")), _suggested(row)]
    return item(text(row, "title"), facts, text(row, "id"))


def note_line(row: Row, timezone: ZoneInfo) -> str:
    """``"Ideas" (created 2026-11-01, project …) [id …]``."""
    facts = [
        _labelled("created", _moment(row, "createdAt", timezone)),
        _labelled("changed", _moment(row, "updatedAt", timezone))
        if row.get("updatedAt") != row.get("createdAt")
        else "",
        _labelled("project", text(row, "projectId")),
    ]
    return item(text(row, "title"), facts, text(row, "id"))


def comment_line(row: Row, timezone: ZoneInfo) -> str:
    """``"Looks good" (by Anna, 2026-11-20) [id …]``."""
    facts = [_labelled("by", text(row, "author")), _moment(row, "createdAt", timezone)]
    return item(text(row, "content"), facts, text(row, "id"))
