"""How the client's rows, which are untrusted, are written for a model. Dates are in the user's time zone. No I/O.

A row is one line: the title as a JSON string (quotes and line breaks escaped), the facts in brackets, and the id, such
as ``"Buy milk" (todo, high priority, due Sat 2026-11-21) [id 3f2c…]``. The ledger finds out from the ids which rows a
model was sent, so the name of another row, such as a project, is followed by that row's id. The rows are also kept as
values, for readers that do not read prose.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from itertools import accumulate
from typing import Final, Literal, TypeAlias, TypeVar
from zoneinfo import ZoneInfo

from agents.calls import ClientAnswer, NamedRows, Row, Rows, Table
from agents.errors import ModelRetry
from agents.provenance import Provenance, provenance_of

TaskStatus: TypeAlias = Literal["todo", "in_progress", "done"]
Priority: TypeAlias = Literal["high", "medium", "low"]
ProjectStatus: TypeAlias = Literal["active", "archived"]
Flag: TypeAlias = Literal[0, 1]

MAX_LISTING_BYTES: Final = 60_000
"""The size limit of a listing. The rest of a call's 64 KiB is for the text around it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LineContext:
    """What a line needs besides its row: the time zone of dates, the day for ``overdue``, and names by row id."""

    timezone: ZoneInfo
    today: date | None = None
    projects: Mapping[str, str] = field(default_factory=dict)
    clients: Mapping[str, str] = field(default_factory=dict)


ID_IN_TEXT: Final = re.compile(r"\[id ([^\[\]\n]+)\]")
"""The id of a row in a text. It has no brackets, so that a title that ends with “[id ” does not hide the row's id."""
_PLAIN_ID: Final = re.compile(r"[^\[\]\n]+")
ROW_IN_TEXT: Final = re.compile(
    r'("(?:[^"\\\x00-\x1f]|\\(?:["\\bfnrt]|u00[01][\da-f]))*")(?: \(([^()\n]*)\))? \[id ([^\]\n]+)\]'
)
"""The line of a row as ``item`` writes it, with three groups: the title as JSON, the facts, and the id.

A note may contain any text that looks similar. The pattern matches only titles that ``json.loads`` can read.
"""
CARDS_SHOWN: Final = "The user was shown these cards, in this order:"
"""The heading of the rows that a user saw in an earlier turn."""
ASK_WHICH: Final = "Nothing that the user said tells which one is meant, so nothing is changed. Ask the user which:"
"""What the result of a call says before the rows that the user may have meant."""
Line: TypeAlias = Callable[[Row, LineContext], str]
"""Writes a row as one line."""
Title = TypeVar("Title", bound=str)


def told_ids(texts: Sequence[str], ids: Iterable[str]) -> set[str]:
    """The ``ids`` that are in ``texts``. Ids with brackets, which the pattern does not match, are searched for one by
    one.
    """
    shown = {row_id for each in texts for row_id in ID_IN_TEXT.findall(each)}
    return {
        row_id
        for row_id in ids
        if row_id in shown or (not _PLAIN_ID.fullmatch(row_id) and any(f"[id {row_id}]" in each for each in texts))
    }


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolResult:
    """The result of a tool: ``text`` is for the model, and ``rows`` are the rows in it as values.

    ``rows`` are by table, or by the part of a page or the section of the text that they are in. Rows that the text
    leaves out are only counted. ``foreign`` says that the text is foreign even if its rows are not.
    """

    text: str
    rows: NamedRows = field(default_factory=dict)
    foreign: bool = False

    @property
    def provenance(self) -> Provenance:
        """Where the text comes from."""
        return Provenance.FOREIGN if self.foreign else provenance_of(self.rows)

    def __add__(self, more: str) -> "ToolResult":
        return replace(self, text=self.text + more)


def list_rows(table: Table, answer: ClientAnswer, context: LineContext) -> ToolResult:
    """As ``listed``, for the rows of ``answer``."""
    counts = task_counts(answer.rows, context) if table is Table.TASKS and not answer.is_cut else ""
    return listed(table, answer.selected, LINES[table], context, one=NOUNS[table], counts=counts)


_COUNTED_FROM: Final = 8
"""From this number of tasks on, models miscount them."""


def task_counts(rows: Sequence[Row], context: LineContext) -> str:
    """``By status: todo 7, done 2. By priority: … By project: …``, without a count in which all are alike.

    Empty for few rows.
    """
    if len(rows) < _COUNTED_FROM:
        return ""
    projects = {row_id: _as_json(name) for row_id, name in context.projects.items()}
    kinds = {
        "status": Counter(text(row, "status").replace("_", " ") for row in rows),
        "priority": Counter(text(row, "priority") for row in rows),
        "project": Counter(projects.get(text(row, "projectId"), "") for row in rows),
    }
    return " ".join(f"By {kind}: {_counted(each)}." for kind, each in kinds.items() if len(each) > 1)


def _counted(values: Counter[str]) -> str:
    return ", ".join(f"{value or 'none'} {count}" for value, count in values.most_common())


def tell_row(done: str, table: Table, row: Row, context: LineContext, *, one: str = "") -> ToolResult:
    """``Created the task "Buy milk" (todo) [id …].``, where ``done`` is ``Created``."""
    text = f"{done} the {one or NOUNS[table]} {LINES[table](row, context)}."
    return ToolResult(text=text, rows={table: Rows(rows=(row,))})


def listed(
    name: str,
    found: Rows,
    line: Line,
    context: LineContext,
    *,
    one: str,
    many: str = "",
    counts: str = "",
    max_bytes: int = MAX_LISTING_BYTES,
) -> ToolResult:
    """``Found 2 tasks:`` and a line for each row, or a sentence that there are none. The result's rows are in ``name``.

    ``counts`` is a line between the two, for a listing of all rows. ``many`` is ``one`` with an s unless it is given.
    The last line counts the rows that ``found`` leaves out and those beyond ``max_bytes``. If there may be more rows,
    the text begins ``Found at least 2 tasks:``.
    """
    many = many or f"{one}s"
    if not found.rows:
        return ToolResult(text=f"Found no {many}.", rows={name: Rows()})
    lines = [line(row, context) for row in found.rows]
    sizes = accumulate(len(line.encode("utf-8", "replace")) for line in lines)
    shown = [f"- {line}" for line, size in zip(lines, sizes, strict=True) if size <= max_bytes]
    total = len(found.rows) + found.omitted
    left = total - len(shown)
    at_least = "at least " if found.uncounted else ""
    count = f"Found {at_least}1 {one}:" if total == 1 else f"Found {at_least}{total} {many}:"
    rest = []
    if left:
        rest = [f"{at_least.capitalize()}{left} more are not shown: narrow the search."]
    elif found.uncounted:
        rest = ["There may be more: narrow the search."]
    told = Rows(rows=found.rows[: len(shown)], omitted=left, uncounted=found.uncounted)
    return ToolResult(
        text="\n".join([count, *filter(None, [] if left else [counts]), *shown, *rest]), rows={name: told}
    )


def in_sections(sections: Mapping[Title, ToolResult]) -> ToolResult:
    """The results, one below the other, each under its title."""
    return ToolResult(
        text=write_sections({title: result.text for title, result in sections.items()}),
        rows={name: rows for result in sections.values() for name, rows in result.rows.items()},
    )


def item(title: str, facts: Iterable[str], row_id: str) -> str:
    """The line for a row with these facts."""
    said = ", ".join([_plain(fact) for fact in facts if fact])
    brackets = f" ({said})" if said else ""
    return f"{_as_json(title)}{brackets} [id {row_id}]"


# ``json.dumps`` would create an encoder for each title.
_as_json: Final = json.JSONEncoder(ensure_ascii=False).encode


def _plain(fact: str) -> str:
    """Replace what would end the brackets or the fact, because a fact may have a person's name or free text."""
    # ``translate`` is slower.
    return fact.replace("(", "[").replace(")", "]").replace(",", ";").replace("\n", " ")


def text(row: Mapping[str, object], column: str) -> str:
    """The text in ``column``; empty if there is none."""
    value = row.get(column)
    return value if isinstance(value, str) else ""


def title_of(row: Mapping[str, object]) -> str:
    """The row's title or name; empty if it has neither, like a comment."""
    return text(row, "title") or text(row, "name")


def number(row: Row, column: str) -> int | None:
    """The number in ``column``, truncated to an integer; None if there is none."""
    value = row.get(column)
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def milliseconds(row: Row, column: str) -> int:
    """The time in ``column``, in milliseconds since 1970; 0 if there is none."""
    return number(row, column) or 0


def date_in(row: Row, column: str, timezone: ZoneInfo) -> str:
    """The date in ``column``: the day of the week, then as ``to_iso`` writes it; empty if there is none."""
    value = number(row, column)
    if value is None:
        return ""
    moment = _moment(value, timezone)
    # The English name, whatever the locale.
    return to_iso(value, timezone) if moment is None else f"{_WEEKDAYS[moment.weekday()]} {to_iso(value, timezone)}"


_WEEKDAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def is_overdue(task: Row, today: date, timezone: ZoneInfo) -> bool:
    """Whether an open task was due before ``today``."""
    return task.get("status") != "done" and 0 < milliseconds(task, "dueDate") < day_range(today, timezone)[0]


def in_project(row: Row, context: LineContext) -> str:
    """``project "Website" [id …]``; empty if the row has no project, or the project's name is not known."""
    return _named("project", text(row, "projectId"), context.projects)


def _named(noun: str, row_id: str, names: Mapping[str, str]) -> str:
    name = names.get(row_id)
    return "" if name is None else f"{noun} {_as_json(name)} [id {row_id}]"


def assignees(row: Row) -> list[str]:
    """The names in a task's ``assignee`` column: a JSON array as a string, or one plain name."""
    stored = text(row, "assignee")
    if not stored:
        return []
    try:
        names = json.loads(stored)
    except (ValueError, RecursionError):  # the latter for a value that nests too deep
        return [stored]
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else [stored]


def task_line(row: Row, context: LineContext) -> str:
    """``"Buy milk" (todo, high priority, due Sat 2026-11-21, overdue, project "Home" [id …]) [id …]``."""
    today, due = context.today, date_in(row, "dueDate", context.timezone)
    facts = [
        text(row, "status").replace("_", " "),
        f"{priority} priority" if (priority := text(row, "priority")) else "",
        _labelled("due", due),
        "overdue" if due and today is not None and is_overdue(row, today, context.timezone) else "",
        in_project(row, context),
        _labelled("for", " & ".join(assignees(row))),
        _suggested(row),
    ]
    return item(text(row, "title"), facts, text(row, "id"))


def project_line(row: Row, context: LineContext) -> str:
    """``"Website" (active, client "Rossi" [id …]) [id …]``."""
    facts = [text(row, "status"), _named("client", text(row, "clientId"), context.clients)]
    return item(text(row, "name"), facts, text(row, "id"))


def checkpoint_line(row: Row, context: LineContext) -> str:
    """``"Beta" (Tue 2026-12-01, project "Website" [id …]) [id …]``."""
    facts = [date_in(row, "date", context.timezone), in_project(row, context), _suggested(row)]
    return item(text(row, "title"), facts, text(row, "id"))


def note_line(row: Row, context: LineContext) -> str:
    """``"Ideas" (created Sun 2026-11-01, project "Website" [id …]) [id …]``."""
    changed = row.get("updatedAt") != row.get("createdAt")
    facts = [
        _labelled("created", date_in(row, "createdAt", context.timezone)),
        _labelled("changed", date_in(row, "updatedAt", context.timezone)) if changed else "",
        in_project(row, context),
    ]
    return item(text(row, "title"), facts, text(row, "id"))


def comment_line(row: Row, context: LineContext) -> str:
    """``"Looks good" (by Anna, Fri 2026-11-20) [id …]``."""
    facts = [_labelled("by", text(row, "author")), date_in(row, "createdAt", context.timezone)]
    return item(text(row, "content"), facts, text(row, "id"))


def client_line(row: Row, _context: LineContext) -> str:
    """``"Bakery" [id …]``."""
    return item(text(row, "name"), [], text(row, "id"))


LINES: Final[Mapping[Table, Line]] = {
    Table.TASKS: task_line,
    Table.PROJECTS: project_line,
    Table.CHECKPOINTS: checkpoint_line,
    Table.NOTES: note_line,
    Table.TASK_COMMENTS: comment_line,
    Table.CLIENTS: client_line,
}
NOUNS: Final[Mapping[Table, str]] = {
    Table.TASKS: "task",
    Table.PROJECTS: "project",
    Table.CHECKPOINTS: "checkpoint",
    Table.NOTES: "note",
    Table.TASK_COMMENTS: "comment",
    Table.CLIENTS: "client",
}
"""The noun for one row of a table; the plural has an s."""


def to_ms(said: str, timezone: ZoneInfo) -> int:
    """Convert ``2026-11-24`` (midnight) or ``2026-11-24T18:00`` to milliseconds, in ``timezone`` unless it has an
    offset.

    Raises ``ModelRetry`` for anything else, and for the calendar's first and last day, which lack a day before or after
    them.
    """
    try:
        moment = datetime.fromisoformat(said.strip())
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=timezone)
        day = moment.astimezone(timezone).date()
        day_range(day - timedelta(days=1), timezone)
        day_range(day, timezone)
        return _milliseconds(moment)
    except OverflowError:
        raise ModelRetry(f"{said!r} is too far away: leave it out.") from None
    except ValueError:
        raise ModelRetry(f"{said!r} is not a date: write it as 2026-11-24 or 2026-11-24T18:00.") from None


def to_iso(ms: int, timezone: ZoneInfo) -> str:
    """``2026-11-24``, with the time (``2026-11-24 18:00``) unless it is midnight in ``timezone``."""
    moment = _moment(ms, timezone)
    if moment is None:
        return "an unreadable date"
    if (moment.hour, moment.minute) == (0, 0):
        return moment.date().isoformat()
    return f"{moment.date().isoformat()} {moment:%H:%M}"


def _moment(ms: int, timezone: ZoneInfo) -> datetime | None:
    try:
        return datetime.fromtimestamp(ms / 1000, timezone)
    except (ValueError, OverflowError, OSError):
        return None


@lru_cache(maxsize=64)  # each row of a listing needs the same day
def day_range(day: date, timezone: ZoneInfo) -> tuple[int, int]:
    """The first and the last millisecond of ``day`` in ``timezone``, also on days of a clock change."""
    start = datetime.combine(day, time.min, timezone)
    end = datetime.combine(day + timedelta(days=1), time.min, timezone)
    return _milliseconds(start), _milliseconds(end) - 1


def _milliseconds(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)


def with_excerpt(line: str, said: str, longest: int) -> str:
    """``line``, and below it the first ``longest`` characters of ``said``."""
    excerpt = " ".join(said[:longest].split())
    return f"{line}\n  {excerpt}" if excerpt else line


def write_sections(sections: Mapping[Title, str]) -> str:
    """The sections, one below the other, without those whose body is empty.

    A section is a line ``== its title ==`` and a body. Rows may have any text, so a line of a body that begins like a
    title is indented by a space.
    """
    return "\n\n".join(
        f"== {title} ==\n{_LIKE_A_TITLE.sub(' ', body.strip())}" for title, body in sections.items() if body.strip()
    )


_LIKE_A_TITLE: Final = re.compile(r"^(?===)", re.MULTILINE)


def _labelled(label: str, value: str) -> str:
    return f"{label} {value}" if value else ""


def _suggested(row: Row) -> str:
    return "suggested, not accepted yet" if row.get("isAiSuggested") == 1 and row.get("isApproved") == 0 else ""
