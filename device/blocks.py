"""The blocks of a home answer as rich renderables. What a block lacks is left out; nothing here fails."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import tzinfo
from typing import Final, TypeAlias

from pydantic import JsonValue
from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from device.charts import chart_of
from device.tables import Row
from device.timelines import timeline_of
from device.wording import counted, one_line, said_date

_Facts: TypeAlias = Callable[[Row, tzinfo], Iterator[str]]

_MARKS: Final = {"todo": "○", "in_progress": "◐", "done": "●", "active": "▸", "archived": "▹"}
_OTHER_MARK: Final = "•"


def block_of(block_type: str, data: Mapping[str, JsonValue], zone: tzinfo) -> RenderableType | None:
    """What to show for a block; None for a type that this client does not know. Dates are said in ``zone``."""
    match block_type:
        case "chart":
            return chart_of(data)
        case "table":
            return table_of(data)
        case "timeline":
            return timeline_of(data, zone)
        case "entity_ref":
            return entities_of(data, zone)
        case _:
            return None


def table_of(data: Mapping[str, JsonValue]) -> Table:
    """A ``table`` block; columns of numbers are aligned to the right."""
    headers, rows = _items(data.get("headers")), [_items(row) for row in _items(data.get("rows"))]
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for number, header in enumerate(headers):
        cells = [row[number] for row in rows if number < len(row)]
        table.add_column(Text(one_line(header)), justify="right" if _are_numbers(cells) else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(_cell(value)) for value in row[: len(headers)]))
    return table


@dataclass(frozen=True, kw_only=True, slots=True)
class Cards:
    """Rows, each with its mark, its title, and below what else there is to know; framed on a terminal."""

    title: str
    cards: tuple[Text, ...]

    def __rich_console__(self, _console: Console, options: ConsoleOptions) -> RenderResult:
        if options.is_terminal:
            yield Panel(Group(*self.cards), title=self.title, title_align="left", box=box.ROUNDED, expand=False)
        else:
            # The reader of a pipe wraps lines itself.
            for line in (Text(f"{self.title}:"), *self.cards):
                line.no_wrap, line.overflow = True, "ignore"
                yield line


def entities_of(data: Mapping[str, JsonValue], zone: tzinfo) -> Cards:
    """The rows of an ``entity_ref`` block."""
    entity = one_line(data.get("entity"))
    items = [item for item in _items(data.get("items")) if isinstance(item, dict)]
    return Cards(title=counted(len(items), entity), cards=tuple(_card(entity, item, zone) for item in items))


def names_of(assignee: JsonValue) -> list[str]:
    """The names in a task's ``assignee``, a JSON array as a string; what is none is taken as one name."""
    if not isinstance(assignee, str) or not assignee:
        return []
    try:
        names = json.loads(assignee)
    except (ValueError, RecursionError):
        return [assignee]
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else [assignee]


def _card(entity: str, row: Row, zone: tzinfo) -> Text:
    mark = _MARKS.get(str(row.get("status")), _OTHER_MARK)
    card = Text.assemble(mark, " ", (one_line(row.get("title") or row.get("name")) or "Untitled", "bold"))
    facts = [one_line(fact) for fact in _FACTS.get(entity, _no_facts)(row, zone)]
    said = " · ".join(fact for fact in facts if fact)
    return card.append(f"\n  {said}", style="dim") if said else card


def _task_facts(row: Row, zone: tzinfo) -> Iterator[str]:
    yield str(row.get("status") or "").replace("_", " ")
    yield f"{row['priority']} priority" if row.get("priority") else ""
    due = said_date(row.get("dueDate"), zone)
    yield f"due {due}" if due else ""
    yield ", ".join(names_of(row.get("assignee")))
    yield from _suggested(row)


def _checkpoint_facts(row: Row, zone: tzinfo) -> Iterator[str]:
    yield said_date(row.get("date"), zone)
    yield from _suggested(row)


def _project_facts(row: Row, _zone: tzinfo) -> Iterator[str]:
    yield str(row.get("status") or "")


def _note_facts(row: Row, zone: tzinfo) -> Iterator[str]:
    created = said_date(row.get("createdAt"), zone)
    yield f"written {created}" if created else ""


def _no_facts(_row: Row, _zone: tzinfo) -> Iterator[str]:
    yield ""


def _suggested(row: Row) -> Iterator[str]:
    yield "suggested" if row.get("isAiSuggested") == 1 and row.get("isApproved") == 0 else ""


_FACTS: Final[Mapping[str, _Facts]] = {
    "task": _task_facts,
    "checkpoint": _checkpoint_facts,
    "project": _project_facts,
    "note": _note_facts,
}


def _items(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []


def _cell(value: JsonValue) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return one_line(value)


def _are_numbers(cells: list[JsonValue]) -> bool:
    given = [cell for cell in cells if cell is not None]
    return bool(given) and all(isinstance(cell, int | float) and not isinstance(cell, bool) for cell in given)
